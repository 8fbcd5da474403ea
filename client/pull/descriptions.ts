// Checks what a service says in `/resources`. Its names become file names, CSV headings and SQL identifiers, so every name that the
// specification could not have is refused.
import type { FieldDescription, ResourceDescription } from '../client.ts'

// The mirror cannot be made as asked; the message is a sentence for the user.
export class Refused extends Error {}

const longestName = 64
const mostResources = 200
// Of a record, or of an item of an array. SQLite has room for 2,000 columns.
const mostFields = 500

// Lower case, words parted by hyphens (resources) or underscores (fields).
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

// The types are what the service promises, not what it sent.
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
