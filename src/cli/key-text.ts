// A key as the commands print it: JSON in the API's words, and text for people.
import type { Key } from '../state/state.ts'

export const keyState = ({ isDisabled, revokedAt }: Key) =>
  revokedAt === null ? (isDisabled ? 'disabled' : 'active') : 'revoked'

export const keyJson = (key: Key) => ({
  name: key.name,
  client_id: key.accessKey,
  permissions: key.permissions,
  stores: key.stores,
  price_list: key.priceList,
  rate: key.rate,
  state: keyState(key),
  created_at: new Date(key.createdAt).toISOString(),
})

// What `keys create` and `keys regenerate` print: the one time the security code is shown.
export const newKeyJson = (key: Key, securityCode: string) => ({
  name: key.name,
  client_id: key.accessKey,
  client_secret: securityCode,
  permissions: key.permissions,
  stores: key.stores,
  price_list: key.priceList,
  rate: key.rate,
})

export const storesText = ({ stores }: Key) =>
  stores === null ? 'all' : stores.length === 0 ? 'none' : stores.join(', ')

export const keyText = (key: Key) =>
  [
    `Name           ${key.name}`,
    `Access key     ${key.accessKey}`,
    `State          ${keyState(key)}`,
    `Permissions    ${key.permissions.join(', ')}`,
    `Stores         ${storesText(key)}`,
    `Price list     ${key.priceList ?? 'all'}`,
    `Requests       ${key.rate} a minute`,
    `Created        ${new Date(key.createdAt).toISOString()}`,
  ].join('\n')

export const newKeyText = (key: Key, securityCode: string) =>
  keyText(key).replace(/(Access key .*)/, `$1\nSecurity code  ${securityCode}`) +
  '\n\nWrite the security code down now: it is not kept and cannot be shown again.'
