// The routes for keys. They call the same code as the command line.
import { previewAs } from '../../describe/preview.ts'
import type { Engine } from '../../engine/engine.ts'
import { daysLeft, keyState, type ExpiryInput } from '../../keys/expiry.ts'
import type { InputFault } from '../../keys/faults.ts'
import { createKey, regenerateKey, revokeKey, updateKey, missingKeyFault, type KeyInput } from '../../keys/keys.ts'
import { finishRotation, oldCodeUntil, rotateKey } from '../../keys/rotation.ts'
import { listUnused, unusedDays, unusedOf } from '../../keys/unused.ts'
import type { Key, KeyAsShown, LastUse, State } from '../../state/state.ts'
import { json, readTime, refusedFor, type ConsoleAnswer, type ConsoleCall } from './exchange.ts'

const dayMs = 86_400_000

// `since` is the beginning of the day in the time zone of the browser.
function readSince({ query }: ConsoleCall, now: number): number | InputFault {
  const since = readTime(query, 'since') ?? now - dayMs
  return typeof since === 'object' ? since : Math.max(since, now - 2 * dayMs)
}

const usedJson = (key: Key, now: number, requests: number | undefined, used: LastUse | undefined) => ({
  ...keyJson(key, now),
  requests_today: requests ?? 0,
  last_used: timeOf(used?.at ?? null),
  last_address: used?.address ?? null,
})

export async function listKeys(state: State, call: ConsoleCall, now: number): Promise<ConsoleAnswer> {
  const since = readSince(call, now)
  if (typeof since === 'object') return refusedFor([since])
  const [keys, usage, lastUse] = await Promise.all([
    state.listKeys(),
    state.sumUsage(['accessKey'], { from: since, to: now + dayMs }),
    state.listLastUse('keys', null),
  ])
  const requests = new Map(usage.map((use) => [use.accessKey, use.requests]))
  const used = new Map(lastUse.map((use) => [use.accessKey, use]))
  return json({ data: keys.map((key) => usedJson(key, now, requests.get(key.accessKey), used.get(key.accessKey))) })
}

export async function showKey(state: State, call: ConsoleCall, accessKey: string, now: number): Promise<ConsoleAnswer> {
  const since = readSince(call, now)
  if (typeof since === 'object') return refusedFor([since])
  const key = await state.findKey(accessKey)
  if (!key) return refusedFor([await missingKeyFault(state, accessKey)], 404)
  const [[usage], [used], ofPermissions] = await Promise.all([
    state.sumUsage(['accessKey'], { from: since, to: now + dayMs, accessKey }),
    state.listLastUse('keys', accessKey),
    state.listLastUse('permissions', accessKey),
  ])
  return json({
    data: usedJson(key, now, usage?.requests, used),
    unused: unusedOf(key, ofPermissions, now),
    days: unusedDays,
  })
}

export async function showUnused(state: State, now: number): Promise<ConsoleAnswer> {
  const unused = await listUnused(state, now)
  const data = unused.map(({ key, permissions }) => ({ client_id: key.accessKey, name: key.name, permissions }))
  return json({ days: unusedDays, data })
}

type Today = Omit<ExpiryInput, 'text'>

export async function makeKey(state: State, call: ConsoleCall, by: string, today: Today): Promise<ConsoleAnswer> {
  const made = await createKey(state, readInput(await call.body(), today), by)
  if ('faults' in made) return refusedFor(made.faults)
  return json({ data: keyJson(made.key, today.now), client_secret: made.securityCode }, 201)
}

export async function changeKey(
  state: State,
  call: ConsoleCall,
  accessKey: string,
  by: string,
  today: Today,
): Promise<ConsoleAnswer> {
  const body = await call.body()
  const isDisabled = body?.['disabled']
  const made = await updateKey(
    state,
    accessKey,
    {
      ...readInput(body, today),
      ...(isDisabled === true ? { disable: true } : isDisabled === false ? { enable: true } : {}),
      shown: readShown(body?.['shown']),
    },
    by,
  )
  if (!('faults' in made)) return json({ data: keyJson(made.key, today.now) })
  return refusedFor(made.faults, statusOf(made.faults))
}

// Another administrator was quicker.
const conflicts = new Set(['changed_meanwhile', 'rotation_under_way', 'no_rotation'])

function statusOf(faults: readonly InputFault[]): number {
  const codes = faults.map(({ code }) => code)
  if (codes.some((code) => conflicts.has(code))) return 409
  return codes.some((code) => code.startsWith('key_')) ? 404 : 400
}

export async function newCode(state: State, accessKey: string, by: string, now: number): Promise<ConsoleAnswer> {
  const made = await regenerateKey(state, accessKey, by)
  if ('faults' in made) return refusedFor(made.faults, 404)
  return json({ data: keyJson(made.key, now), client_secret: made.securityCode })
}

export async function rotateCode(
  state: State,
  call: ConsoleCall,
  accessKey: string,
  by: string,
  now: number,
): Promise<ConsoleAnswer> {
  const made = await rotateKey(state, accessKey, textOf((await call.body())?.['overlap'], ''), by)
  if ('faults' in made) return refusedFor(made.faults, statusOf(made.faults))
  return json({ data: keyJson(made.key, now), client_secret: made.securityCode })
}

export async function endOldCode(state: State, accessKey: string, by: string, now: number): Promise<ConsoleAnswer> {
  const made = await finishRotation(state, accessKey, by)
  return 'faults' in made ? refusedFor(made.faults, statusOf(made.faults)) : json({ data: keyJson(made.key, now) })
}

export async function endKey(state: State, accessKey: string, by: string, now: number): Promise<ConsoleAnswer> {
  const made = await revokeKey(state, accessKey, by)
  return 'faults' in made ? refusedFor(made.faults, 404) : json({ data: keyJson(made.key, now) })
}

export async function previewKey(state: State, engine: Engine, accessKey: string, now: number): Promise<ConsoleAnswer> {
  const key = await state.findKey(accessKey)
  return key
    ? json({ key: keyJson(key, now), data: await previewAs(engine, key) })
    : refusedFor([await missingKeyFault(state, accessKey)], 404)
}

// The values on the administrator's screen when the change was made.
function readShown(shown: unknown): KeyAsShown {
  if (typeof shown !== 'object' || shown === null) return {}
  const { price_list: priceList, ...rest } = shown as Readonly<Record<string, unknown>>
  const { name, permissions, stores, rate, expires, addresses } = rest
  const all = { name, permissions, stores, priceList, rate, expires, addresses }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

const timeOf = (ms: number | null) => (ms ? new Date(ms).toISOString() : null)

const keyJson = (key: Key, now: number) => ({
  client_id: key.accessKey,
  name: key.name,
  permissions: key.permissions,
  stores: key.stores,
  price_list: key.priceList,
  rate: key.rate,
  expires: key.expires?.day ?? null,
  // null before the last thirty days.
  days_left: daysLeft(key, now),
  addresses: key.addresses,
  old_code_until: timeOf(oldCodeUntil(key, now)),
  state: keyState(key, now),
  created_at: timeOf(key.createdAt),
  revoked_at: timeOf(key.revokedAt),
})

// Text as for the command line, lists separated by commas. null removes a restriction.
const readInput = (body: Readonly<Record<string, unknown>> | null, today: Today): KeyInput => ({
  name: textOf(body?.['name'], ''),
  permissions: textOf(body?.['permissions'], ''),
  stores: body?.['stores'] === null ? 'all' : textOf(body?.['stores'], 'none'),
  priceList: body?.['price_list'] === null ? 'all' : textOf(body?.['price_list'], ''),
  rate: textOf(body?.['rate'], ''),
  expires: body?.['expires'] === undefined ? undefined : { text: textOf(body['expires'], 'never') ?? '', ...today },
  addresses: body?.['addresses'] === null ? 'all' : textOf(body?.['addresses'], ''),
})

function textOf(value: unknown, ofNone: string): string | undefined {
  if (value === undefined) return undefined
  if (value === null) return ofNone
  if (Array.isArray(value)) return value.join(',') || ofNone
  // The fault quotes any other value.
  return typeof value === 'string' ? value : JSON.stringify(value)
}
