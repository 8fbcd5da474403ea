// What is written down of an act, the same in every store.
import type { Series } from './failure-series.ts'
import { limits } from './limits.ts'
import type { Act, AuditEntry, Key } from './state.ts'

export type NewEntry = Pick<AuditEntry, 'act' | 'subject' | 'details'>

// Who did what nobody else is named for.
export const theService = 'the service'

const shown = ({ name, permissions, stores, priceList, rate, isDisabled, expires, addresses }: Key) => ({
  name,
  permissions,
  stores,
  price_list: priceList,
  rate,
  disabled: isDisabled,
  expires: expires?.day ?? null,
  addresses,
})

export const keyCreated = (key: Key): NewEntry => ({ act: 'key created', subject: key.accessKey, details: shown(key) })

export const codeRotated = ({ accessKey, oldCodeUntil }: Key): NewEntry => ({
  act: 'code rotated',
  subject: accessKey,
  details: { until: new Date(oldCodeUntil ?? 0).toISOString() },
})

export const keyAct = (act: Act, accessKey: string): NewEntry => ({ act, subject: accessKey, details: {} })

// Undefined when everything is as it was.
export function keyChanged(before: Key, after: Key): NewEntry | undefined {
  const [was, is]: Record<string, unknown>[] = [shown(before), shown(after)]
  const changed = Object.keys(is ?? {}).filter((name) => JSON.stringify(was?.[name]) !== JSON.stringify(is?.[name]))
  if (changed.length === 0) return undefined
  const details = Object.fromEntries(changed.map((name) => [name, { from: was?.[name], to: is?.[name] }]))
  return { act: 'key changed', subject: before.accessKey, details }
}

export const subscription = (isEnabled: boolean): NewEntry => ({
  act: isEnabled ? 'subscription enabled' : 'subscription disabled',
  subject: '',
  details: {},
})

// What was forgotten: blocks that were still on, and all series of failures, those of the blocks among them.
export const blocksCleared = (address: string, { blocks, cleared }: Cleared): NewEntry => ({
  act: 'blocks cleared',
  subject: address,
  details: { blocks, cleared },
})

export interface Cleared {
  readonly blocks: number
  readonly cleared: number
}

// What was tried is named only where it is a key of ours: a caller may have sent a secret in the wrong place.
export const callerBlocked = (
  address: string,
  scope: 'key' | 'address',
  { count, blockedUntil }: Series,
  accessKey: string | null,
): NewEntry => ({
  act: 'caller blocked',
  subject: address,
  details: { scope, failures: count, until: new Date(blockedUntil ?? 0).toISOString(), client_id: accessKey },
})

// `address` is empty where it is every stranger's.
export const signInSlowed = (address: string, failures: number): NewEntry => ({
  act: 'sign-in slowed down',
  subject: address,
  details: { failures },
})

// A flood from many addresses must not fill the audit: beyond some an hour, blocks are counted in one entry for that hour.
interface BlocksOfHour {
  readonly entries: number
  readonly summary: { readonly id: number; readonly blocks: number; readonly addresses: number } | null
}

export const hasOwnEntry = ({ entries }: BlocksOfHour): boolean => entries < limits.blockEntriesAnHour

// Addresses are told apart up to a bound.
export const mayCountAddress = ({ summary }: Pick<BlocksOfHour, 'summary'>): boolean =>
  (summary?.addresses ?? 0) < limits.mostSummarised

export const moreBlocked = ({ summary }: BlocksOfHour, isNewAddress: boolean): NewEntry => ({
  act: 'more callers blocked',
  subject: '',
  details: {
    blocks: (summary?.blocks ?? 0) + 1,
    addresses: (summary?.addresses ?? 0) + (isNewAddress ? 1 : 0),
    ...(mayCountAddress({ summary }) ? {} : { more_addresses: true }),
  },
})

// From the rows of an hour: the act, how many there are of it, and the last one's id and details.
export function readBlocksOfHour(rows: readonly (readonly unknown[])[]): BlocksOfHour {
  const entries = rows.find(([act]) => act === ('caller blocked' satisfies Act))
  const summary = rows.find(([act]) => act === ('more callers blocked' satisfies Act))
  const details = summary && (JSON.parse(String(summary[3])) as { blocks: number; addresses: number })
  return {
    entries: Number(entries?.[1] ?? 0),
    summary: details ? { id: Number(summary[2]), ...details } : null,
  }
}

export const consoleAct = (act: Extract<Act, 'password set' | 'signed in' | 'everybody signed out'>): NewEntry => ({
  act,
  subject: '',
  details: {},
})
