// Handing out keys: create, restrict, regenerate, revoke. The command line and the console both call this, so that what
// one can do, the other can. Input is text, as people give it; what is wrong comes back all at once. `by` is who does it, for
// the audit.
import { inPermissionOrder, permissions, type Permission } from '../catalogue/access.ts'
import { readInteger } from '../catalogue/filters/integer.ts'
import { nearest } from '../platform/nearest.ts'
import { hashSecret, makeAccessKey, makeSecurityCode } from '../auth/secrets.ts'
import { limits } from '../state/limits.ts'
import { readAddressList } from './address-list.ts'
import { readExpiry, type ExpiryInput } from './expiry.ts'
import type { Key, KeyAsShown, KeyChanges, State } from '../state/state.ts'
import { keyFault, type Fault } from './faults.ts'
import { isUnwritable } from './names.ts'

// Each as typed; `undefined` where nothing was given. `all` takes a restriction away, `never` an end.
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
  // Shown once; only its hash is kept.
  readonly securityCode: string
}

export type Made<Result> = Result | { readonly faults: readonly Fault[] }

const longestName = 100
const mostRequests = 1_000_000

// What is wrong with what was given, whatever else is missing.
export const inputFaults = (input: KeyInput): string[] => readInput(input).faults.map(({ sentence }) => sentence)

export async function createKey(state: State, input: KeyInput, by?: string): Promise<Made<NewKey>> {
  const { changes, faults } = readInput(input)
  const missing = [
    ...(input.name === undefined ? [keyFault('name_missing')] : []),
    ...(input.permissions === undefined ? [keyFault('permissions_missing')] : []),
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
  // A disabled key is refused until it is enabled again.
  readonly enable?: boolean
  readonly disable?: boolean
  // What was on the screen when it was decided.
  readonly shown?: KeyAsShown
}

export async function updateKey(
  state: State,
  accessKey: string,
  input: KeyUpdate,
  by?: string,
): Promise<Made<{ key: Key }>> {
  const { changes, faults } = readInput(input)
  if (input.enable && input.disable) faults.push(keyFault('enabled_and_disabled'))
  const isDisabled = input.disable ? { isDisabled: true } : input.enable ? { isDisabled: false } : {}
  const all = { ...changes, ...isDisabled }
  if (faults.length === 0 && Object.keys(all).length === 0) faults.push(keyFault('nothing_to_change'))
  const key = faults.length === 0 ? await state.updateKey(accessKey, all, by, input.shown) : null
  if (key !== null && key !== 'changed meanwhile') return { key }
  const known = await state.findKey(accessKey)
  if (key === 'changed meanwhile') return { faults: [keyFault('changed_meanwhile', { name: known?.name ?? '' })] }
  // Nothing is wrong with what was given: then it was not there to be changed.
  if (faults.length === 0 || !known || known.revokedAt !== null) faults.unshift(await whyNot(state, accessKey))
  return { faults }
}

export async function regenerateKey(state: State, accessKey: string, by?: string): Promise<Made<NewKey>> {
  const securityCode = makeSecurityCode()
  const key = await state.regenerateKey(accessKey, hashSecret(securityCode), by)
  return key ? { key, securityCode } : { faults: [await whyNot(state, accessKey)] }
}

export async function revokeKey(state: State, accessKey: string, by?: string): Promise<Made<{ key: Key }>> {
  const key = await state.revokeKey(accessKey, by)
  return key ? { key } : { faults: [await whyNot(state, accessKey)] }
}

export async function whyNot(state: State, accessKey: string): Promise<Fault> {
  if (await state.findKey(accessKey)) return keyFault('key_revoked', { key: accessKey })
  const meant = nearest(
    accessKey,
    (await state.listKeys()).map((key) => key.accessKey),
  )
  return meant ? keyFault('key_mistyped', { key: accessKey, meant }) : keyFault('key_unknown', { key: accessKey })
}

function readInput(input: KeyInput): { changes: KeyChanges; faults: Fault[] } {
  const faults: Fault[] = []
  const changes: { -readonly [Name in keyof KeyChanges]: KeyChanges[Name] } = {}
  if (input.name !== undefined) {
    const name = input.name.trim()
    if (name.length < 1 || name.length > longestName || isUnwritable(name))
      faults.push(keyFault('name_invalid', { most: longestName }))
    changes.name = name
  }
  if (input.permissions !== undefined) changes.permissions = readPermissions(input.permissions, faults)
  if (input.stores !== undefined) changes.stores = readStores(input.stores, faults)
  if (input.priceList !== undefined) changes.priceList = readPriceList(input.priceList, faults)
  if (input.rate !== undefined) {
    const rate = readInteger(input.rate)
    if (!('value' in rate) || rate.value < 1 || rate.value > mostRequests)
      faults.push(keyFault('rate_invalid', { given: input.rate, most: mostRequests }))
    else changes.rate = rate.value
  }
  if (input.expires !== undefined) changes.expires = readExpiry(input.expires, faults)
  if (input.addresses !== undefined) changes.addresses = readAddressList(input.addresses, faults)
  return { changes, faults }
}

function readPermissions(text: string, faults: Fault[]): Permission[] {
  if (text === 'all') return [...permissions]
  const names = text.split(',').map((name) => name.trim())
  for (const name of names.filter((each) => !permissions.includes(each as Permission))) {
    const meant = nearest(name, permissions)
    faults.push(
      meant
        ? keyFault('permission_mistyped', { given: name, meant })
        : keyFault('permission_unknown', { given: name, known: permissions.join(', ') }),
    )
  }
  return inPermissionOrder(names)
}

function readStores(text: string, faults: Fault[]): number[] | null {
  if (text === 'all') return null
  if (text === 'none') return []
  const stores = text.split(',').map((each) => readInteger(each.trim()))
  const ids = stores.flatMap((each) => ('value' in each && each.value >= 1 ? [each.value] : []))
  if (ids.length < stores.length) faults.push(keyFault('stores_invalid', { given: text }))
  return [...new Set(ids)].toSorted((one, other) => one - other)
}

function readPriceList(text: string, faults: Fault[]): number | null {
  if (text === 'all') return null
  const id = readInteger(text)
  if ('value' in id && id.value >= 1) return id.value
  faults.push(keyFault('price_list_invalid', { given: text }))
  return null
}
