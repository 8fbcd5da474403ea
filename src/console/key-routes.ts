// Keys as the console shows and changes them: the same code as the command line's.
import type { Engine } from '../engine/engine.ts'
import { createKey, regenerateKey, revokeKey, updateKey, type KeyInput } from '../keys/keys.ts'
import type { Key, State } from '../state/state.ts'
import { json, refused, type ConsoleAnswer, type ConsoleCall } from './exchange.ts'
import { seeAs } from './see-as.ts'

const dayMs = 86_400_000

// With the use of the last day, and when each was last used within the last 30.
export async function listKeys(state: State, now: number): Promise<ConsoleAnswer> {
  const [keys, usage] = await Promise.all([state.listKeys(), state.listUsage(now - 30 * dayMs, now + dayMs)])
  const use = new Map<string, { requests: number; lastHour: number }>()
  for (const { accessKey, hour, requests } of usage) {
    const known = use.get(accessKey) ?? { requests: 0, lastHour: 0 }
    const isRecent = hour > now - dayMs
    use.set(accessKey, {
      requests: known.requests + (isRecent ? requests : 0),
      lastHour: Math.max(known.lastHour, hour),
    })
  }
  return json({
    data: keys.map((key) => ({
      ...keyJson(key),
      requests_last_day: use.get(key.accessKey)?.requests ?? 0,
      last_used: timeOf(use.get(key.accessKey)?.lastHour ?? null),
    })),
  })
}

export async function makeKey(state: State, call: ConsoleCall, by: string): Promise<ConsoleAnswer> {
  const made = await createKey(state, readInput(await call.body()), by)
  if ('faults' in made) return refused(400, 'invalid_request', ...made.faults)
  return json({ data: keyJson(made.key), client_secret: made.securityCode }, 201)
}

export async function changeKey(
  state: State,
  call: ConsoleCall,
  accessKey: string,
  by: string,
): Promise<ConsoleAnswer> {
  const body = await call.body()
  const isDisabled = body?.['disabled']
  const made = await updateKey(
    state,
    accessKey,
    { ...readInput(body), ...(isDisabled === true ? { disable: true } : isDisabled === false ? { enable: true } : {}) },
    by,
  )
  return 'faults' in made ? refused(400, 'invalid_request', ...made.faults) : json({ data: keyJson(made.key) })
}

export async function newCode(state: State, accessKey: string, by: string): Promise<ConsoleAnswer> {
  const made = await regenerateKey(state, accessKey, by)
  if ('faults' in made) return refused(404, 'not_found', ...made.faults)
  return json({ data: keyJson(made.key), client_secret: made.securityCode })
}

export async function endKey(state: State, accessKey: string, by: string): Promise<ConsoleAnswer> {
  const made = await revokeKey(state, accessKey, by)
  return 'faults' in made ? refused(404, 'not_found', ...made.faults) : json({ data: keyJson(made.key) })
}

export async function seeAsKey(state: State, engine: Engine, accessKey: string): Promise<ConsoleAnswer> {
  const key = await state.findKey(accessKey)
  return key ? json({ data: await seeAs(engine, key) }) : refused(404, 'not_found', `There is no key ${accessKey}.`)
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
