// The audit entry of each act, the same in every store.
import type { Series } from './failure-series.ts'
import { limits } from './limits.ts'
import type { Account } from './console-access.ts'
import type { Act, AuditEntry, Key } from './state.ts'

export type NewAuditEntry = Pick<AuditEntry, 'act' | 'subject' | 'details'>

// The `by` of acts without a named administrator.
export const theService = 'the service'
export const consoleActor = (account: string) => `${account}, console`

const auditedFields = ({ name, permissions, stores, priceList, rate, isDisabled, expires, addresses }: Key) => ({
  name,
  permissions,
  stores,
  price_list: priceList,
  rate,
  disabled: isDisabled,
  expires: expires?.day ?? null,
  addresses,
})

const entry = (act: Act, subject: string, details: NewAuditEntry['details'] = {}): NewAuditEntry => ({
  act,
  subject,
  details,
})

export const keyCreated = (key: Key) => entry('key created', key.accessKey, auditedFields(key))

export const codeRotated = ({ accessKey, oldCodeUntil }: Key) =>
  entry('code rotated', accessKey, { until: new Date(oldCodeUntil ?? 0).toISOString() })

export const keyAct = (act: Act, accessKey: string) => entry(act, accessKey)

// undefined: nothing changed.
export function keyChanged(before: Key, after: Key): NewAuditEntry | undefined {
  const [was, is]: Record<string, unknown>[] = [auditedFields(before), auditedFields(after)]
  const changed = Object.keys(is ?? {}).filter((name) => JSON.stringify(was?.[name]) !== JSON.stringify(is?.[name]))
  if (changed.length === 0) return undefined
  const details = Object.fromEntries(changed.map((name) => [name, { from: was?.[name], to: is?.[name] }]))
  return entry('key changed', before.accessKey, details)
}

export const subscription = (isEnabled: boolean) =>
  entry(isEnabled ? 'subscription enabled' : 'subscription disabled', '')

// `blocks` were still active; `cleared` counts all series of failures, with or without a block.
export const blocksCleared = (address: string, counts: { readonly blocks: number; readonly cleared: number }) =>
  entry('blocks cleared', address, counts)

// `accessKey` is null if it is unknown: the caller may have sent a secret in its place.
export const callerBlocked = (
  address: string,
  scope: 'key' | 'address',
  { count, blockedUntil }: Series,
  accessKey: string | null,
) =>
  entry('caller blocked', address, {
    scope,
    failures: count,
    until: new Date(blockedUntil ?? 0).toISOString(),
    client_id: accessKey,
  })

// An empty address stands for all unknown browsers together.
export const signInSlowed = (address: string, failures: number) => entry('sign-in slowed down', address, { failures })

// A flood from many addresses must not fill the audit: beyond a limit, one entry counts the further blocks of the hour.
interface BlocksOfHour {
  readonly entries: number
  readonly summary: { readonly id: number; readonly blocks: number; readonly addresses: number } | null
}

export const hasOwnEntry = ({ entries }: BlocksOfHour): boolean => entries < limits.blockEntriesAnHour

// Distinct addresses are counted up to a limit.
export const mayCountAddress = ({ summary }: Pick<BlocksOfHour, 'summary'>): boolean =>
  (summary?.addresses ?? 0) < limits.mostSummarised

export const moreBlocked = ({ summary }: BlocksOfHour, isNewAddress: boolean) =>
  entry('more callers blocked', '', {
    blocks: (summary?.blocks ?? 0) + 1,
    addresses: (summary?.addresses ?? 0) + (isNewAddress ? 1 : 0),
    ...(mayCountAddress({ summary }) ? {} : { more_addresses: true }),
  })

// Rows: act, number of entries, id and details of the last one.
export function readBlocksOfHour(rows: readonly (readonly unknown[])[]): BlocksOfHour {
  const entries = rows.find(([act]) => act === ('caller blocked' satisfies Act))
  const summary = rows.find(([act]) => act === ('more callers blocked' satisfies Act))
  const details = summary && (JSON.parse(String(summary[3])) as { blocks: number; addresses: number })
  return {
    entries: Number(entries?.[1] ?? 0),
    summary: details ? { id: Number(summary[2]), ...details } : null,
  }
}

export const consoleAct = (act: Extract<Act, 'signed in' | 'everybody signed out'>) => entry(act, '')

export const accountAct = (act: Extract<Act, 'account created' | 'account removed'>, { name, role }: Account) =>
  entry(act, name, { role })

export const passwordSet = ({ name }: Account) => entry('password set', name)

export const accountChanged = (before: Account, after: Account) =>
  entry('account changed', after.name, { role: { from: before.role, to: after.role } })
