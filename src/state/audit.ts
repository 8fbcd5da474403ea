// What is written down of an act, the same in every store.
import type { Series } from './failure-series.ts'
import type { Act, AuditEntry, Key } from './state.ts'

export type NewEntry = Pick<AuditEntry, 'act' | 'subject' | 'details'>

// Who did what nobody else is named for.
export const theService = 'the service'

const shown = ({ name, permissions, stores, priceList, rate, isDisabled }: Key) => ({
  name,
  permissions,
  stores,
  price_list: priceList,
  rate,
  disabled: isDisabled,
})

export const keyCreated = (key: Key): NewEntry => ({ act: 'key created', subject: key.accessKey, details: shown(key) })

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

export const consoleAct = (act: Extract<Act, 'password set' | 'signed in' | 'everybody signed out'>): NewEntry => ({
  act,
  subject: '',
  details: {},
})
