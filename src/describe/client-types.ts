// Catalogue → the source of client/resources.ts: records, filters and sort fields of every resource as types, and the facts that the
// client needs as data. `npm run generate` writes the file; a test compares.
import type { Resource } from '../catalogue/resource.ts'
import { resources } from '../catalogue/resources/index.ts'
import { fullAccess } from '../query/plan-named.ts'
import { filterMeaningOf, fullMeaningOf } from './meaning.ts'
import { singular } from './openapi/parts.ts'
import { least, schemaNames } from './openapi/records.ts'
import { describeFields, describeResource, type FieldDescription, type ResourceDescription } from './resources.ts'

const heading = `// What the service has, as types: every resource with its records, filters and sort fields.
// Made from the service's catalogue by \`npm run generate\`; a test fails when it is out of date.`

export function clientTypes(): string {
  const described = resources.map((resource) => ({ resource, description: describeResource(resource, fullAccess, '') }))
  return [
    heading,
    ...described.flatMap(({ resource, description }) => typesOf(resource, description)),
    declare(
      'export interface Resources {',
      resources.map((resource) => {
        const { record, summary } = schemaNames(resource)
        const type = `{ summary: ${summary}; record: ${record}; filters: ${record}Filters; sort: ${record}Sort }`
        return `${quoted(resource.name)}: ${type}`
      }),
    ),
    `export type ResourceName = keyof Resources`,
    declare(
      `// \`unfilteredQuery\`: the parameters with which a list leaves nothing out.
export const resources: Readonly<Record<ResourceName, ResourceFacts>> = {`,
      described.map(({ description }) => `${quoted(description.name)}: ${factsOf(description)},`),
    ),
    declare('export interface ResourceFacts {', ['readonly unfilteredQuery: Readonly<Record<string, string>>']),
  ]
    .join('\n\n')
    .concat('\n')
}

function typesOf(resource: Resource, description: ResourceDescription): string[] {
  const { record, summary } = schemaNames(resource)
  const common = describeFields(resource, least)
  const arrays = description.fields.filter(({ items }) => items !== undefined)
  const shown = description.fields.filter((field) => field.in === 'list')
  const added = description.fields.filter((field) => field.in === 'detail')
  const member = (field: FieldDescription, seen: readonly FieldDescription[], array?: string) => {
    const isForAll = seen.some(({ name }) => name === field.name)
    return documented(fullMeaningOf(resource, field, !isForAll, array), memberOf(field, record, isForAll))
  }
  const filters = description.filters.map((filter) =>
    documented(filterMeaningOf(resource, filter.name), filterOf(filter, resource)),
  )
  const search = documented(
    `Records in which one of these holds the text: ${description.search.join(', ')}.`,
    'search?: string',
  )
  return [
    ...arrays.map(({ name, items = [] }) =>
      declare(
        `export interface ${record}${singular(name)} {`,
        items.map((item) => member(item, common.find((field) => field.name === name)?.items ?? items, name)),
      ),
    ),
    declare(
      `/** ${resource.en.says} */\nexport interface ${summary} {`,
      shown.map((field) => member(field, common)),
    ),
    ...(summary === record
      ? []
      : [
          declare(
            `export interface ${record} extends ${summary} {`,
            added.map((field) => member(field, common)),
          ),
        ]),
    declare(`export interface ${record}Filters {`, [...filters, search]),
    `export type ${record}Sort = ${union(description.sort.fields)}`,
  ]
}

function memberOf(field: FieldDescription, record: string, isForAll: boolean): string {
  const name = `readonly ${field.name}${isForAll ? '' : '?'}`
  if (field.items) return `${name}: readonly ${record}${singular(field.name)}[]`
  const type = field.values ? union(field.values) : field.type === 'integer' ? 'number' : field.type
  return `${name}: ${type}${field.name === 'id' ? '' : ' | null'}`
}

// Each company has its own currencies.
function filterOf(
  { name, type, values, multiple }: ResourceDescription['filters'][number],
  { filters }: Resource,
): string {
  const isOpen = filters.some((filter) => filter.name === name && filter.kind === 'currency')
  const one = values && !isOpen ? union(values) : type === 'integer' ? 'number' : 'string'
  return `${name}?: ${multiple ? `${one} | readonly (${one})[]` : one}`
}

const factsOf = ({ filters }: ResourceDescription) => {
  const hidesNothing = filters.some(({ name, values }) => name === 'status' && values?.includes('all'))
  return `{ unfilteredQuery: ${hidesNothing ? "{ status: 'all' }" : '{}'} }`
}

const documented = (meaning: string, member: string) => `/** ${meaning} */\n  ${member}`

const declare = (opening: string, members: readonly string[]) =>
  [opening, ...members.map((member) => `  ${member}`), '}'].join('\n')
const union = (values: readonly string[]) => values.map((value) => `'${value}'`).join(' | ')
const quoted = (name: string) => (/^\w+$/.test(name) ? name : `'${name}'`)
