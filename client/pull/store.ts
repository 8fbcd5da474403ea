// The store of a mirror, and the checks of names from the service. Records are stored together with their cursor, so that the
// next run continues from what is stored. Names become file names, CSV headings and SQL identifiers, so every name that the
// specification does not allow is rejected.
import type { ResourceDescription, FieldDescription } from '../client.ts'

export type PulledRecord = Readonly<Record<string, unknown>> & { readonly id: number }

// A record as it is now, or the id of one that is gone.
export type Entry = { readonly resource: string; readonly id: number } & (
  | { readonly change: 'record'; readonly record: PulledRecord }
  | { readonly change: 'gone' }
)

export type Format = 'ndjson' | 'csv' | 'tables'

// A mirror has one service, one key and one format.
export interface Mirror {
  readonly origin: string
  readonly format: Format
  readonly isRawText: boolean
  readonly isWithoutLines: boolean
}

// A resource as a key sees it.
export type VisibleResource = Pick<ResourceDescription, 'name' | 'fields'>

export interface StoredResource {
  readonly resource: VisibleResource
  // null: the key can no longer read it, and it stays as it was.
  readonly position: string | null
  readonly total: number
  // It was changed after the last `finish`.
  readonly isChanged: boolean
  // Everything is being read again: what does not come again is gone.
  readonly isReadingAll: boolean
}

export interface FinishedResource {
  readonly name: string
  readonly total: number
  // The number of records that did not come again.
  readonly removed: number
}

// A position is what one cursor follows: the change feed (`/changes`, or `/changes/invoices` for one resource) or, in a service
// without a feed, the list of one resource (`invoices`).
export interface Store {
  // null: the mirror is new.
  mirror(): Promise<Mirror | null>
  setMirror(mirror: Mirror): Promise<void>
  // Removes everything, for a mirror of another service or key, or in another format.
  clear(): Promise<void>
  resources(): Promise<StoredResource[]>
  resourcesAt(position: string): Promise<StoredResource[]>
  // null: nothing is stored yet.
  cursorOf(position: string): Promise<string | null>
  // Everything at this position is read again. What is stored stays until `finish`; arrays and fields that the key no longer
  // sees are removed at once.
  begin(position: string, resources: readonly VisibleResource[]): Promise<void>
  save(position: string, entries: readonly Entry[], cursor: string): Promise<void>
  // The number of records stored since `begin`.
  readSoFar(position: string): Promise<number>
  // Called when everything up to now is read: removes what is gone, and writes files.
  finish(position: string): Promise<FinishedResource[]>
  // A file that another program has changed or removed since `finish`; null: there is none.
  damaged(position: string): Promise<string | null>
  close(): Promise<void>
}

// Checked again: another program may have changed the text since it was stored.
export function storedResource(description: string): VisibleResource {
  const resource = JSON.parse(description) as VisibleResource
  try {
    checkNames([resource])
    return checkFields(resource)
  } catch {
    throw new Refused('The mirror contains names that no version of Vitrine uses: name another place with --to.')
  }
}

// The mirror cannot be made; the message is for the user.
export class Refused extends Error {}

const longestName = 64
const mostResources = 200
// Of a record, or of an array. SQLite allows 2,000 columns.
const mostFields = 500

// Lower case, with hyphens (resources) or underscores (fields) between words.
const isResourceName = (name: unknown): name is string => isName(name, /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/)
const isFieldName = (name: unknown): name is string => isName(name, /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
const isName = (name: unknown, pattern: RegExp) =>
  typeof name === 'string' && name.length <= longestName && pattern.test(name)

export function checkNames<Each extends VisibleResource>(resources: readonly Each[]): readonly Each[] {
  for (const { name } of listOf(resources, mostResources, 'resources'))
    if (!isResourceName(name)) refuse(`a resource ${shown(name)}`)
  refuseTwice(resources, [], 'resource')
  return resources
}

export function checkFields<Each extends VisibleResource>(resource: Each): Each {
  const { name, fields } = resource
  checkList(listOf(fields, mostFields, `fields of ${name}`), name, [])
  for (const { name: array, items } of fields)
    if (items !== undefined) {
      const place = `${name}.${array}`
      checkList(listOf(items, mostFields, `fields of ${place}`), place, [ownerColumn(name), 'position'])
    }
  return resource
}

// The column with the id of the record that an item of an array belongs to: `credit-memos` → `credit_memo_id`.
export const ownerColumn = (name: string) => `${name.replaceAll('-', '_').replace(/s$/, '')}_id`

function checkList(fields: readonly FieldDescription[], place: string, taken: readonly string[]): void {
  for (const { name, type } of fields) {
    if (!isFieldName(name)) refuse(`a field ${shown(name)} of ${place}`)
    if (!isFieldName(type)) refuse(`a type ${shown(type)} of ${place}.${name}`)
  }
  refuseTwice(fields, taken, `field of ${place}`)
}

function refuseTwice(described: readonly { readonly name: string }[], taken: readonly string[], what: string): void {
  const names = [...taken, ...described.map(({ name }) => name)]
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) refuse(`the ${what} "${twice}" twice`)
}

// The types are what the service should send, not what it sent.
function listOf<Each extends object>(given: readonly Each[], most: number, what: string): readonly Each[] {
  if (!Array.isArray(given) || given.some((each) => typeof each !== 'object' || each === null))
    refuse(`no list of ${what}`)
  if (given.length > most) refuse(`${given.length} ${what}`)
  return given
}

const shown = (name: unknown) => (JSON.stringify(name) ?? 'without a name').slice(0, longestName)

function refuse(what: string): never {
  throw new Refused(`The service names ${what}: no version of Vitrine does so, and nothing of it is stored.`)
}
