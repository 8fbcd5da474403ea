// The routes for usage and blocks.
import type { InputFault } from '../../keys/faults.ts'
import type { Key, State } from '../../state/state.ts'
import { causes, type UsageRange } from '../../state/usage.ts'
import type { Block, Data, UsageAnswer } from './answers.ts'
import { csvFile, mostRows } from './csv.ts'
import { json, readTime, refusedFor, timeOf } from './exchange.ts'
import { consoleFault } from './faults.ts'
import type { Route } from './request.ts'

const longestDays = 368
const dayMs = 86_400_000

// Without `from` and `to`: the last 24 hours.
function readRange(query: URLSearchParams, now: number): UsageRange | { readonly faults: InputFault[] } {
  const [from = now - dayMs, to = now + dayMs] = [readTime(query, 'from'), readTime(query, 'to')]
  if (typeof from === 'object' || typeof to === 'object')
    return { faults: [from, to].filter((each) => typeof each === 'object') }
  if (to - from > longestDays * dayMs) return { faults: [consoleFault('span_invalid', { most: longestDays })] }
  return { from, to, accessKey: query.get('key'), resource: query.get('resource') }
}

// One entry for each hour, each key and each resource, of all keys or of one.
export const showUsage: Route = async ({ state, clock }, { query }) => {
  const range = readRange(query, clock.now())
  if ('faults' in range) return refusedFor(range.faults)
  const { accessKey: key = null } = range
  const [hours, keys, resources, nameOf] = await Promise.all([
    state.sumUsage(['hour'], range),
    key === null ? state.sumUsage(['accessKey'], range) : [],
    state.sumUsage(['resource'], range),
    readNames(state),
  ])
  return json({
    name: nameOf(key),
    hours: hours.map(({ hour, ...sum }) => ({ hour: timeOf(hour), ...sum })),
    keys: keys.map(({ accessKey, ...sum }) => ({ client_id: accessKey, name: nameOf(accessKey), ...sum })),
    resources,
  } satisfies UsageAnswer)
}

export const downloadUsage: Route = async (options, { query }) => {
  const { state, clock } = options
  const range = readRange(query, clock.now())
  if ('faults' in range) return refusedFor(range.faults)
  const [sums, nameOf] = await Promise.all([
    state.sumUsage(['hour', 'accessKey', 'resource'], { ...range, limit: mostRows + 1 }),
    readNames(state),
  ])
  return csvFile(
    'usage',
    options,
    ['hour', 'client_id', 'name', 'resource', 'requests', 'records', ...causes],
    sums.map(({ hour, accessKey, resource, requests, records, refusals }) => [
      timeOf(hour),
      accessKey,
      nameOf(accessKey),
      resource,
      requests,
      records,
      ...causes.map((cause) => refusals[cause]),
    ]),
  )
}

export const showBlocks: Route = async ({ state }) => {
  const [blocks, nameOf] = await Promise.all([state.listBlocks(), readNames(state)])
  return json({
    data: blocks.map(({ accessKey, until, ...block }) => ({
      ...block,
      client_id: accessKey,
      name: nameOf(accessKey),
      until: timeOf(until),
    })),
  } satisfies Data<Block>)
}

export const clearBlocks: Route = async ({ state }, { subject, session }) =>
  json({ cleared: await state.clearBlocks(subject, session.by) })

export function namesOf(keys: readonly Key[]): (accessKey: string | null) => string | null {
  const names = new Map(keys.map(({ accessKey, name }) => [accessKey, name]))
  return (accessKey) => names.get(accessKey ?? '') ?? null
}
const readNames = async (state: State) => namesOf(await state.listKeys())
