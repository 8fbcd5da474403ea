// The routes for keys. They call the same code as the command line.
import { previewAs } from '../../describe/preview.ts'
import { daysLeft, keyState } from '../../keys/expiry.ts'
import type { InputFault } from '../../keys/faults.ts'
import {
  createKey,
  regenerateKey,
  revokeKey,
  updateKey,
  missingKeyFault,
  type KeyInput,
  type OrFaults,
} from '../../keys/keys.ts'
import type { Reply } from '../../http/exchange.ts'
import { finishRotation, oldCodeUntil, rotateKey } from '../../keys/rotation.ts'
import { listUnused, unusedDays, unusedOf } from '../../keys/unused.ts'
import type { KeyAsShown, LastUse, Key as StoredKey } from '../../state/state.ts'
import type { Data, Key, KeyPreview, ListedKey, NewCode, ShownKey, UnusedKeys } from './answers.ts'
import { json, readObject, readTime, refusedFor, timeOf } from './exchange.ts'
import type { ConsoleOptions, Route } from './request.ts'

const dayMs = 86_400_000

// `since` is the beginning of the day in the time zone of the browser.
function readSince(query: URLSearchParams, now: number): number | InputFault {
  const since = readTime(query, 'since') ?? now - dayMs
  return typeof since === 'object' ? since : Math.max(since, now - 2 * dayMs)
}

const usedJson = (key: StoredKey, now: number, requests = 0, used?: LastUse): ListedKey => ({
  ...keyJson(key, now),
  requests_today: requests,
  last_used: timeOf(used?.at ?? null),
  last_address: used?.address ?? null,
})

export const listKeys: Route = async ({ state, clock }, { query }) => {
  const now = clock.now()
  const since = readSince(query, now)
  if (typeof since === 'object') return refusedFor([since])
  const [keys, usage, lastUse] = await Promise.all([
    state.listKeys(),
    state.sumUsage(['accessKey'], { from: since, to: now + dayMs }),
    state.listLastUse('keys', null),
  ])
  const requests = new Map(usage.map((use) => [use.accessKey, use.requests]))
  const used = new Map(lastUse.map((use) => [use.accessKey, use]))
  const data = keys.map((key) => usedJson(key, now, requests.get(key.accessKey), used.get(key.accessKey)))
  return json({ data } satisfies Data<ListedKey>)
}

export const showKey: Route = async ({ state, clock }, { query, subject: accessKey }) => {
  const now = clock.now()
  const since = readSince(query, now)
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
  } satisfies ShownKey)
}

export const showUnused: Route = async ({ state, clock }) => {
  const unused = await listUnused(state, clock.now())
  const data = unused.map(({ key, permissions }) => ({ client_id: key.accessKey, name: key.name, permissions }))
  return json({ days: unusedDays, data } satisfies UnusedKeys)
}

export const makeKey: Route = async (options, { call, session }) =>
  answer(options, await createKey(options.state, readInput(await readObject(call), options), session.by), 201)

export const changeKey: Route = async (options, { call, subject, session }) => {
  const body = await readObject(call)
  const isDisabled = body?.['disabled']
  const changes = {
    ...readInput(body, options),
    ...(isDisabled === true ? { disable: true } : isDisabled === false ? { enable: true } : {}),
    shown: readShown(body?.['shown']),
  }
  return answer(options, await updateKey(options.state, subject, changes, session.by))
}

export const newCode: Route = async (options, { subject, session }) =>
  answer(options, await regenerateKey(options.state, subject, session.by))

export const rotateCode: Route = async (options, { call, subject, session }) => {
  const overlap = textOf((await readObject(call))?.['overlap'], '')
  return answer(options, await rotateKey(options.state, subject, overlap, session.by))
}

export const endOldCode: Route = async (options, { subject, session }) =>
  answer(options, await finishRotation(options.state, subject, session.by))

export const endKey: Route = async (options, { subject, session }) =>
  answer(options, await revokeKey(options.state, subject, session.by))

type Made = OrFaults<{ readonly key: StoredKey; readonly securityCode?: string }>

function answer({ clock }: ConsoleOptions, made: Made, status = 200): Reply {
  if ('faults' in made) return refusedFor(made.faults, statusOf(made.faults))
  const data = keyJson(made.key, clock.now())
  const { securityCode } = made
  return securityCode === undefined
    ? json({ data })
    : json({ data, client_secret: securityCode } satisfies NewCode, status)
}

// Another administrator has changed the key in the meantime.
const conflicts = new Set(['changed_meanwhile', 'rotation_under_way', 'no_rotation'])

function statusOf(faults: readonly InputFault[]): number {
  const codes = faults.map(({ code }) => code)
  if (codes.some((code) => conflicts.has(code))) return 409
  return codes.some((code) => code.startsWith('key_')) ? 404 : 400
}

export const previewKey: Route = async ({ state, engine, clock }, { subject }) => {
  const key = await state.findKey(subject)
  return key
    ? json({ key: keyJson(key, clock.now()), data: await previewAs(engine, key) } satisfies KeyPreview)
    : refusedFor([await missingKeyFault(state, subject)], 404)
}

// The values on the administrator's screen when the change was made.
function readShown(shown: unknown): KeyAsShown {
  if (typeof shown !== 'object' || shown === null) return {}
  const { price_list: priceList, ...rest } = shown as Readonly<Record<string, unknown>>
  const { name, permissions, stores, rate, expires, addresses } = rest
  const all = { name, permissions, stores, priceList, rate, expires, addresses }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

const keyJson = (key: StoredKey, now: number): Key => ({
  client_id: key.accessKey,
  name: key.name,
  permissions: key.permissions,
  stores: key.stores,
  price_list: key.priceList,
  rate: key.rate,
  expires: key.expires?.day ?? null,
  days_left: daysLeft(key, now),
  addresses: key.addresses,
  old_code_until: timeOf(oldCodeUntil(key, now)),
  state: keyState(key, now),
  created_at: timeOf(key.createdAt),
  revoked_at: timeOf(key.revokedAt),
})

// Text as for the command line, lists separated by commas. null removes a restriction.
const readInput = (body: Readonly<Record<string, unknown>> | null, { clock, timeZone }: ConsoleOptions): KeyInput => ({
  name: textOf(body?.['name'], ''),
  permissions: textOf(body?.['permissions'], ''),
  stores: body?.['stores'] === null ? 'all' : textOf(body?.['stores'], 'none'),
  priceList: body?.['price_list'] === null ? 'all' : textOf(body?.['price_list'], ''),
  rate: textOf(body?.['rate'], ''),
  expires:
    body?.['expires'] === undefined
      ? undefined
      : { text: textOf(body['expires'], 'never') ?? '', timeZone, now: clock.now() },
  addresses: body?.['addresses'] === null ? 'all' : textOf(body?.['addresses'], ''),
})

function textOf(value: unknown, ofNone: string): string | undefined {
  if (value === undefined) return undefined
  if (value === null) return ofNone
  if (Array.isArray(value)) return value.join(',') || ofNone
  // The fault quotes any other value.
  return typeof value === 'string' ? value : JSON.stringify(value)
}
