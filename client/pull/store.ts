// Where a mirror is kept. Records and the cursor they lead to are stored together or not at all: whatever happens, the next
// run goes on from what is there.
import type { ResourceDescription } from '../client.ts'
import { checkFields, checkNames, Refused } from './descriptions.ts'

// A record as the service sent it.
export type Found = Readonly<Record<string, unknown>> & { readonly id: number }

export interface Progress {
  // null: nothing yet.
  readonly cursor: string | null
  // What the key could see of the resource when the mirror was begun, as text.
  readonly shape: string | null
}

export interface Store {
  // Which service and key it is of; null: it is new.
  readonly origin: string | null
  setOrigin(origin: string): void
  progressOf(name: string): Progress
  // From now on everything is read again; what is not found then goes at the end of that. Arrays that are no longer to be seen go
  // at once.
  begin(resource: Seen): void
  // What there is of it, whether the key may still read it or not.
  names(): string[]
  // It becomes the mirror of somebody else: nothing of it stays.
  clear(): void
  // Before records of it are saved.
  open(resource: ResourceDescription): void
  save(name: string, records: readonly Found[], cursor: string): void
  // All was read: what is gone is taken out, files are written. How many records there are.
  finish(resource: ResourceDescription): number
  close(): void
}

// A resource as a key sees it: which fields, and in all resources which stores and price lists, as far as it may know them.
export interface Seen extends ResourceDescription {
  readonly sees: string
}

export const shapeOf = ({ fields, sees }: Seen): string => JSON.stringify({ fields, sees })

// The resource as it was when the shape was stored. Earlier versions accepted any names.
export function ofShape(name: string, shape: string): ResourceDescription {
  const { fields } = JSON.parse(shape) as Seen
  const resource: ResourceDescription = { name: name as ResourceDescription['name'], permission: '', fields }
  try {
    checkNames([resource])
    return checkFields(resource)
  } catch {
    throw new Refused('The mirror has names in it that no version of Vitrine gives: name another place with --to.')
  }
}
