// Creates, changes, regenerates and revokes access keys, for the command line and the console alike. Input is text as typed; all
// mistakes come back at once. `by` names the administrator, for the audit.
import { readInteger } from '../catalogue/filters/integer.ts'
import { nearest } from '../terminal/nearest.ts'
import { hashSecret, makeAccessKey, makeSecurityCode } from '../auth/secrets.ts'
import { limits } from '../state/limits.ts'
import { readExpiry, type ExpiryInput } from './expiry.ts'
import type { Key, KeyAsShown, KeyChanges, State } from '../state/state.ts'
import { keyFault, type InputFault } from './faults.ts'
import { isUnwritable, readAddressList, readPermissions, readPriceList, readStores } from './key-values.ts'

// As typed; undefined: not given. `all` removes a restriction, `never` an expiry.
export interface KeyInput {
  readonly name?: string | undefined
  readonly permissions?: string | undefined
  readonly stores?: string | undefined
  readonly priceList?: string | undefined
  readonly rate?: string | undefined
  readonly expires?: ExpiryInput | undefined
  readonly addresses?: string | undefined
}

export interface NewKey {
  readonly key: Key
  // Shown once; only its hash is stored.
  readonly securityCode: string
}

export type OrFaults<Result> = Result | { readonly faults: readonly InputFault[] }

const longestName = 100
const mostRequests = 1_000_000

// Mistakes in the given values; missing ones are not reported.
export const inputFaults = (input: KeyInput): string[] => readInput(input).faults.map(({ sentence }) => sentence)

export async function createKey(state: State, input: KeyInput, by?: string): Promise<OrFaults<NewKey>> {
  const { changes, faults } = readInput(input)
  const missing = [
    ...(input.name === undefined ? [keyFault('name.missing')] : []),
    ...(input.permissions === undefined ? [keyFault('permissions.missing')] : []),
  ]
  if (faults.length + missing.length > 0) return { faults: [...missing, ...faults] }
  const securityCode = makeSecurityCode()
  const key = {
    accessKey: makeAccessKey(),
    name: '',
    permissions: [],
    stores: null,
    priceList: null,
    rate: limits.defaultRate,
    ...changes,
  }
  return { key: await state.createKey(key, hashSecret(securityCode), by), securityCode }
}

interface KeyUpdate extends KeyInput {
  readonly enable?: boolean
  readonly disable?: boolean
  readonly shown?: KeyAsShown
}

export async function updateKey(
  state: State,
  accessKey: string,
  input: KeyUpdate,
  by?: string,
): Promise<OrFaults<{ key: Key }>> {
  const { changes, faults } = readInput(input)
  if (input.enable && input.disable) faults.push(keyFault('enabled_and_disabled'))
  const isDisabled = input.disable ? { isDisabled: true } : input.enable ? { isDisabled: false } : {}
  const all = { ...changes, ...isDisabled }
  if (faults.length === 0 && Object.keys(all).length === 0) faults.push(keyFault('nothing_to_change'))
  const key = faults.length === 0 ? await state.updateKey(accessKey, all, by, input.shown) : null
  if (key !== null && key !== 'changed meanwhile') return { key }
  const known = await state.findKey(accessKey)
  if (key === 'changed meanwhile') return { faults: [keyFault('changed_meanwhile', { name: known?.name ?? '' })] }
  // Valid input that changed nothing: the key is unknown or revoked.
  if (faults.length === 0 || !known || known.revokedAt !== null) faults.unshift(await missingKeyFault(state, accessKey))
  return { faults }
}

export async function regenerateKey(state: State, accessKey: string, by?: string): Promise<OrFaults<NewKey>> {
  const securityCode = makeSecurityCode()
  const key = await state.regenerateKey(accessKey, hashSecret(securityCode), by)
  return key ? { key, securityCode } : { faults: [await missingKeyFault(state, accessKey)] }
}

export async function revokeKey(state: State, accessKey: string, by?: string): Promise<OrFaults<{ key: Key }>> {
  const key = await state.revokeKey(accessKey, by)
  return key ? { key } : { faults: [await missingKeyFault(state, accessKey)] }
}

export async function missingKeyFault(state: State, accessKey: string): Promise<InputFault> {
  if (await state.findKey(accessKey)) return keyFault('key_revoked', { key: accessKey })
  const meant = nearest(
    accessKey,
    (await state.listKeys()).map((key) => key.accessKey),
  )
  return meant ? keyFault('key_mistyped', { key: accessKey, meant }) : keyFault('key_unknown', { key: accessKey })
}

function readInput(input: KeyInput): { changes: KeyChanges; faults: InputFault[] } {
  const faults: InputFault[] = []
  const changes: { -readonly [Name in keyof KeyChanges]: KeyChanges[Name] } = {}
  if (input.name !== undefined) {
    const name = input.name.trim()
    if (name === '') faults.push(keyFault('name.missing'))
    else if (name.length > longestName || isUnwritable(name))
      faults.push(keyFault('name.invalid', { most: longestName }))
    changes.name = name
  }
  if (input.permissions !== undefined) changes.permissions = readPermissions(input.permissions, faults)
  if (input.stores !== undefined) changes.stores = readStores(input.stores, faults)
  if (input.priceList !== undefined) changes.priceList = readPriceList(input.priceList, faults)
  if (input.rate !== undefined) {
    const rate = readInteger(input.rate)
    if (!('value' in rate) || rate.value < 1 || rate.value > mostRequests)
      faults.push(keyFault('rate.invalid', { given: input.rate, most: mostRequests }))
    else changes.rate = rate.value
  }
  if (input.expires !== undefined) changes.expires = readExpiry(input.expires, faults)
  if (input.addresses !== undefined) changes.addresses = readAddressList(input.addresses, faults)
  return { changes, faults }
}
