// The store of a mirror, and the checks of names from the service. Records are stored together with their cursor, so that the
// next run continues from what is stored. Names become file names, CSV headings and SQL identifiers, so every name that the
// specification does not allow is rejected.
import type { ResourceDescription, FieldDescription } from '../client.ts'

export type PulledRecord = Readonly<Record<string, unknown>> & { readonly id: number }

export interface MirrorProgress {
  // null: nothing is stored yet.
  readonly cursor: string | null
  // What the key saw of the resource when the mirror was made, as JSON.
  readonly shape: string | null
}

export interface Store {
  // The service and key of the mirror; null: it is new.
  readonly origin: string | null
  setOrigin(origin: string): void
  progressOf(name: string): MirrorProgress
  // Everything is read again; `finish` removes records that were not found. Arrays that the key no longer sees are removed at
  // once.
  begin(resource: VisibleResource): void
  // All stored resources, even if the key can no longer read them.
  names(): string[]
  // Removes everything, for the mirror of another service or key.
  clear(): void
  // Called before `save`.
  open(resource: ResourceDescription): void
  save(name: string, records: readonly PulledRecord[], cursor: string): void
  // Called when all changes are read: removes deleted records, writes files, and returns the number of records.
  finish(resource: ResourceDescription): number
  close(): void
}

// A resource as a key sees it: its fields, and the key's stores and price lists.
export interface VisibleResource extends ResourceDescription {
  readonly sees: string
}

export const shapeOf = ({ fields, sees }: VisibleResource): string => JSON.stringify({ fields, sees })

// The resource of a stored shape. Earlier versions accepted any names, so they are checked.
export function ofShape(name: string, shape: string): ResourceDescription {
  const { fields } = JSON.parse(shape) as VisibleResource
  const resource: ResourceDescription = { name: name as ResourceDescription['name'], permission: '', fields }
  try {
    checkNames([resource])
    return checkFields(resource)
  } catch {
    throw new Refused('The mirror has names in it that no version of Vitrine gives: name another place with --to.')
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

export function checkNames(resources: readonly ResourceDescription[]): readonly ResourceDescription[] {
  for (const { name } of listOf(resources, mostResources, 'resources'))
    if (!isResourceName(name)) refuse(`a resource ${shown(name)}`)
  refuseTwice(resources, [], 'resource')
  return resources
}

export function checkFields(resource: ResourceDescription): ResourceDescription {
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
