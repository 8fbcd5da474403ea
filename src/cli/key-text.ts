// A key as JSON, with the API's names, and as text.
import { printableLine } from '../terminal/printable.ts'
import { daysLeft, keyState } from '../keys/expiry.ts'
import type { NewKey } from '../keys/keys.ts'
import { oldCodeUntil } from '../keys/rotation.ts'
import type { Key, LastUse, State } from '../state/state.ts'
import type { CommandContext } from './command.ts'

export const momentOf = (ms: number | null | undefined) => (ms ? new Date(ms).toISOString() : null)
export const minuteOf = (ms: number) => `${new Date(ms).toISOString().slice(0, 16)}Z`

// Prints the key, or `text` in its place.
export async function showKey(state: State, { clock, output }: CommandContext, key: Key, text?: string): Promise<void> {
  const [now, [used]] = [clock.now(), await state.listLastUse('keys', key.accessKey)]
  output.result(keyJson(key, now, used), text ?? keyText(key, now, used))
}

// Prints a key with its new security code, which is shown only then.
export function showNewKey({ clock, output }: CommandContext, { key, securityCode }: NewKey, more: object = {}): void {
  const json = { name: key.name, client_id: key.accessKey, client_secret: securityCode, ...termsJson(key), ...more }
  const text = keyText(key, clock.now(), undefined, securityCode)
  output.result(json, `${text}\n\nSave the security code now: it is not stored and cannot be shown again.`)
}

const termsJson = ({ permissions, stores, priceList, rate, expires, addresses }: Key) => ({
  permissions,
  stores,
  price_list: priceList,
  rate,
  expires: expires?.day ?? null,
  addresses,
})

export const keyJson = (key: Key, now: number, used: LastUse | undefined) => ({
  name: key.name,
  client_id: key.accessKey,
  ...termsJson(key),
  state: keyState(key, now),
  created_at: momentOf(key.createdAt),
  old_code_until: momentOf(oldCodeUntil(key, now)),
  last_used: momentOf(used?.at),
  last_address: used?.address ?? null,
})

export const storesText = ({ stores }: Key) =>
  stores === null ? 'all' : stores.length === 0 ? 'none' : stores.join(', ')

// The last day, and the days left if they are few.
export function endText(key: Key, now: number): string {
  const left = daysLeft(key, now)
  const near = left === null ? '' : left === 0 ? ' (today)' : left === 1 ? ' (tomorrow)' : ` (in ${left} days)`
  return key.expires ? key.expires.day + near : ''
}

const lastUseText = (used: LastUse | undefined) =>
  used ? minuteOf(used.at) + (used.address === null ? '' : ` from ${used.address}`) : 'never'

// A new key has a security code to show, and was never used.
function keyText(key: Key, now: number, used?: LastUse, securityCode?: string): string {
  const until = oldCodeUntil(key, now)
  return [
    `Name           ${printableLine(key.name)}`,
    `Access key     ${key.accessKey}`,
    ...(securityCode === undefined ? [] : [`Security code  ${securityCode}`]),
    `State          ${keyState(key, now)}`,
    `Permissions    ${key.permissions.join(', ')}`,
    `Stores         ${storesText(key)}`,
    `Price list     ${key.priceList ?? 'all'}`,
    `Requests       ${key.rate} a minute`,
    `Addresses      ${key.addresses?.join(', ') ?? 'all'}`,
    `Last day       ${endText(key, now) || 'none'}`,
    `Created        ${new Date(key.createdAt).toISOString()}`,
    ...(securityCode === undefined ? [`Last use       ${lastUseText(used)}`] : []),
    ...(until === null ? [] : [`Old code       works until ${minuteOf(until)}`]),
  ].join('\n')
}
