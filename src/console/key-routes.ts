// Keys as the console shows and changes them: the same code as the command line's.
import type { Engine } from '../engine/engine.ts'
import { createKey, regenerateKey, revokeKey, updateKey, whyNot, type KeyInput } from '../keys/keys.ts'
import { listUnused, unusedDays } from '../keys/unused.ts'
import type { Key, State } from '../state/state.ts'
import { json, refused, refusedFor, type ConsoleAnswer, type ConsoleCall } from './exchange.ts'
import { readTime } from './times.ts'
import { seeAs } from './see-as.ts'

const dayMs = 86_400_000

// With the hour of the last use, and the requests since `since`: since the day began where the page is.
async function readKeys(state: State, { query }: ConsoleCall, now: number) {
  const since = readTime(query, 'since') ?? now - dayMs
  if (typeof since === 'object') return since
  const [keys, usage, lastUse] = await Promise.all([
    state.listKeys(),
    state.usageByKey(Math.max(since, now - 2 * dayMs), now + dayMs),
    state.listLastUse('keys'),
  ])
  const requests = new Map(usage.map((use) => [use.accessKey, use.requests]))
  const hours = new Map(lastUse.map(({ accessKey, hour }) => [accessKey, hour]))
  return keys.map((key) => ({
    ...keyJson(key),
    requests_today: requests.get(key.accessKey) ?? 0,
    last_used: timeOf(hours.get(key.accessKey) ?? null),
  }))
}

export async function listKeys(state: State, call: ConsoleCall, now: number): Promise<ConsoleAnswer> {
  const data = await readKeys(state, call, now)
  return Array.isArray(data) ? json({ data }) : refusedFor([data])
}

export async function showKey(state: State, call: ConsoleCall, accessKey: string, now: number): Promise<ConsoleAnswer> {
  const [keys, unused] = await Promise.all([readKeys(state, call, now), listUnused(state, now)])
  if (!Array.isArray(keys)) return refusedFor([keys])
  const data = keys.find((key) => key.client_id === accessKey)
  if (!data) return refusedFor([await whyNot(state, accessKey)], 404)
  const own = unused.find(({ key }) => key.accessKey === accessKey)
  return json({ data, unused: own?.permissions ?? [], days: unusedDays })
}

export async function showUnused(state: State, now: number): Promise<ConsoleAnswer> {
  const unused = await listUnused(state, now)
  const data = unused.map(({ key, permissions }) => ({ client_id: key.accessKey, name: key.name, permissions }))
  return json({ days: unusedDays, data })
}

export async function makeKey(state: State, call: ConsoleCall, by: string): Promise<ConsoleAnswer> {
  const made = await createKey(state, readInput(await call.body()), by)
  if ('faults' in made) return refusedFor(made.faults)
  return json({ data: keyJson(made.key), client_secret: made.securityCode }, 201)
}

export async function changeKey(
  state: State,
  call: ConsoleCall,
  accessKey: string,
  by: string,
): Promise<ConsoleAnswer> {
  const body = await call.body()
  const known = await state.findKey(accessKey)
  // What was on the screen when it was decided, where the page says so.
  if (known && !isAsShown(known, body?.['shown'])) return refused(409, 'changed_meanwhile', { name: known.name })
  const isDisabled = body?.['disabled']
  const made = await updateKey(
    state,
    accessKey,
    { ...readInput(body), ...(isDisabled === true ? { disable: true } : isDisabled === false ? { enable: true } : {}) },
    by,
  )
  if (!('faults' in made)) return json({ data: keyJson(made.key) })
  return refusedFor(made.faults, !known || known.revokedAt !== null ? 404 : 400)
}

export async function newCode(state: State, accessKey: string, by: string): Promise<ConsoleAnswer> {
  const made = await regenerateKey(state, accessKey, by)
  if ('faults' in made) return refusedFor(made.faults, 404)
  return json({ data: keyJson(made.key), client_secret: made.securityCode })
}

export async function endKey(state: State, accessKey: string, by: string): Promise<ConsoleAnswer> {
  const made = await revokeKey(state, accessKey, by)
  return 'faults' in made ? refusedFor(made.faults, 404) : json({ data: keyJson(made.key) })
}

export async function seeAsKey(state: State, engine: Engine, accessKey: string): Promise<ConsoleAnswer> {
  const key = await state.findKey(accessKey)
  return key
    ? json({ key: keyJson(key), data: await seeAs(engine, key) })
    : refusedFor([await whyNot(state, accessKey)], 404)
}

// Two administrators may have the same key before them: the second must see what the first has done.
function isAsShown(key: Key, shown: unknown): boolean {
  if (typeof shown !== 'object' || shown === null) return true
  const now: Readonly<Record<string, unknown>> = keyJson(key)
  return Object.entries(shown).every(([name, value]) => JSON.stringify(now[name]) === JSON.stringify(value))
}

const timeOf = (ms: number | null) => (ms ? new Date(ms).toISOString() : null)

const keyJson = (key: Key) => ({
  client_id: key.accessKey,
  name: key.name,
  permissions: key.permissions,
  stores: key.stores,
  price_list: key.priceList,
  rate: key.rate,
  state: key.revokedAt !== null ? 'revoked' : key.isDisabled ? 'disabled' : 'active',
  created_at: timeOf(key.createdAt),
  revoked_at: timeOf(key.revokedAt),
})

// As the command line takes it: text, in which lists are separated by commas. null takes a restriction away.
const readInput = (body: Readonly<Record<string, unknown>> | null): KeyInput => ({
  name: textOf(body?.['name'], ''),
  permissions: textOf(body?.['permissions'], ''),
  stores: textOf(body?.['stores'], 'none'),
  priceList: textOf(body?.['price_list'], ''),
  rate: textOf(body?.['rate'], ''),
})

function textOf(value: unknown, ofNone: string): string | undefined {
  if (value === undefined) return undefined
  if (value === null) return 'all'
  if (Array.isArray(value)) return value.join(',') || ofNone
  // Whatever else it is: the fault repeats it.
  return typeof value === 'string' ? value : JSON.stringify(value)
}
