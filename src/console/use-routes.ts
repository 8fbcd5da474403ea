// What was done with the service, and by whom: use by key and hour, permissions nobody needs, blocks, the audit.
import type { Permission } from '../catalogue/access.ts'
import { resources } from '../catalogue/resources/index.ts'
import type { State } from '../state/state.ts'
import { json, refused, type ConsoleAnswer, type ConsoleCall } from './exchange.ts'

const longestDays = 366
const dayMs = 86_400_000
const perPage = 100

// From `days` before now, an entry for each key and hour.
export async function showUse(state: State, { query }: ConsoleCall, now: number): Promise<ConsoleAnswer> {
  const days = Number(query.get('days') ?? 1)
  if (!Number.isInteger(days) || days < 1 || days > longestDays)
    return refused(400, 'invalid_request', `days is a whole number from 1 to ${longestDays}.`)
  const usage = await state.listUsage(now - days * dayMs, now + dayMs)
  return json({
    data: usage.map(({ hour, accessKey, requests, records, refusals }) => ({
      hour: new Date(hour).toISOString(),
      client_id: accessKey,
      requests,
      records,
      refusals,
    })),
  })
}

export async function showBlocks(state: State): Promise<ConsoleAnswer> {
  const blocks = await state.listBlocks()
  return json({
    data: blocks.map(({ address, scope, accessKey, failures, until }) => ({
      address,
      scope,
      client_id: accessKey,
      failures,
      until: new Date(until).toISOString(),
    })),
  })
}

export const clearBlocks = async (state: State, address: string, by: string): Promise<ConsoleAnswer> =>
  json({ cleared: await state.clearBlocks(address, by) })

// The latest first; `before` goes on from the last one of a page.
export async function showAudit(state: State, { query }: ConsoleCall): Promise<ConsoleAnswer> {
  const before = query.get('before')
  if (before !== null && !/^[1-9]\d{0,14}$/.test(before))
    return refused(400, 'invalid_request', 'before is the id of an entry.')
  const [subject, by] = [query.get('subject'), query.get('by')]
  const entries = await state.listAudit({
    limit: perPage,
    ...(before === null ? {} : { before: Number(before) }),
    ...(subject ? { subject } : {}),
    ...(by ? { by } : {}),
  })
  return json({
    data: entries.map(({ id, at, by, act, subject, details }) => ({
      id,
      at: new Date(at).toISOString(),
      by,
      act,
      subject,
      details,
    })),
    is_last: entries.length < perPage,
  })
}

// The permissions that open resources, so that a page can say what each one opens.
export const openedBy = (permission: Permission): string[] =>
  resources.filter((resource) => resource.permission === permission).map(({ name }) => name)
