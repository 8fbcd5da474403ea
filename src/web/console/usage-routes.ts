// The routes for usage, blocks and audit.
import { acts, type Act, type Key, type State } from '../../state/state.ts'
import { json, readTime, refusedFor, type ConsoleAnswer, type ConsoleCall } from './exchange.ts'
import { consoleFault } from './faults.ts'

const longestDays = 368
const dayMs = 86_400_000
const perPage = 100

// One entry for each hour, of all keys or of one, and one for each key.
export async function showUsage(state: State, { query }: ConsoleCall, now: number): Promise<ConsoleAnswer> {
  const [from = now - dayMs, to = now + dayMs] = [readTime(query, 'from'), readTime(query, 'to')]
  if (typeof from === 'object' || typeof to === 'object')
    return refusedFor([from, to].filter((each) => typeof each === 'object'))
  if (to - from > longestDays * dayMs) return refusedFor([consoleFault('span_invalid', { most: longestDays })])
  const key = query.get('key')
  const [hours, keys, nameOf] = await Promise.all([
    state.usageByHour(from, to, key),
    key === null ? state.usageByKey(from, to) : [],
    readNames(state),
  ])
  return json({
    name: nameOf(key),
    hours: hours.map(({ hour, ...counts }) => ({ hour: new Date(hour).toISOString(), ...counts })),
    keys: keys.map(({ accessKey, ...counts }) => ({ client_id: accessKey, name: nameOf(accessKey), ...counts })),
  })
}

export async function showBlocks(state: State): Promise<ConsoleAnswer> {
  const [blocks, nameOf] = await Promise.all([state.listBlocks(), readNames(state)])
  return json({
    data: blocks.map(({ address, scope, accessKey, failures, until }) => ({
      address,
      scope,
      client_id: accessKey,
      name: nameOf(accessKey),
      failures,
      until: new Date(until).toISOString(),
    })),
  })
}

export const clearBlocks = async (state: State, address: string, by: string): Promise<ConsoleAnswer> =>
  json({ cleared: await state.clearBlocks(address, by) })

// Latest first; `before` continues after the last entry of a page.
export async function showAudit(state: State, { query }: ConsoleCall): Promise<ConsoleAnswer> {
  const before = query.get('before')
  if (before !== null && !/^[1-9]\d{0,14}$/.test(before)) return refusedFor([consoleFault('before_invalid')])
  const [subject, by, act] = [query.get('subject'), query.get('by'), query.get('act') || null]
  if (act !== null && !isAct(act)) return refusedFor([consoleFault('act_unknown', { given: act })])
  const [from, to] = [readTime(query, 'from'), readTime(query, 'to')]
  if (typeof from === 'object' || typeof to === 'object')
    return refusedFor([from, to].filter((each) => typeof each === 'object'))
  const keys = await state.listKeys()
  const about = subject ? subjectOf(subject, keys) : null
  const [entries, actors] = await Promise.all([
    state.listAudit({
      limit: perPage,
      ...(before === null ? {} : { before: Number(before) }),
      ...(about === null ? {} : { subject: about }),
      ...(by ? { by } : {}),
      ...(act ? { act } : {}),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    }),
    before === null ? state.listActors() : [],
  ])
  const nameOf = namesOf(keys)
  return json({
    data: entries.map(({ id, at, by, act, subject, details }) => ({
      id,
      at: new Date(at).toISOString(),
      by,
      act,
      subject,
      name: nameOf(subject),
      details,
    })),
    is_last: entries.length < perPage,
    by: actors,
  })
}

function namesOf(keys: readonly Key[]): (accessKey: string | null) => string | null {
  const names = new Map(keys.map(({ accessKey, name }) => [accessKey, name]))
  return (accessKey) => names.get(accessKey ?? '') ?? null
}
const readNames = async (state: State) => namesOf(await state.listKeys())

// Administrators know a key by its name: if the text is part of exactly one name, that key is meant. Access keys and addresses stay
// as typed.
function subjectOf(typed: string, keys: readonly Key[]): string {
  if (/^svc_ak_|^[\d.]+$|:/.test(typed)) return typed
  const [only, ...others] = keys.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()))
  return only && others.length === 0 ? only.accessKey : typed
}

const isAct = (text: string): text is Act => (acts as readonly string[]).includes(text)
