// The operations of the change feed: of everything, and of one resource.
import type { Resource } from '../../catalogue/resource.ts'
import { limits } from '../../query/limits.ts'
import type { ResourceDescription } from '../resources.ts'
import { codesOf } from '../../errors.ts'
import { errorResponses } from './errors.ts'
import { exampleRecord } from './examples.ts'
import { answer } from './headers.ts'
import {
  arrayOf,
  closed,
  pascal,
  refer,
  singular,
  value,
  type ApiOperation,
  type ByName,
  type PathItem,
  type Schema,
} from './parts.ts'
import { schemaNames } from './records.ts'
import { needs } from './security.ts'

interface Described {
  readonly resource: Resource
  readonly description: ResourceDescription
}

const id = value('integer', 'Identifies the record within its resource.', { format: 'int64' })

export const feedSchemas = (described: readonly Described[]): ByName<Schema> => ({
  Changes: changesOf(described.map(({ resource }) => resource)),
  ...Object.assign({}, ...described.map(({ resource }) => schemasOf(resource))),
  ChangesMeta: closed({
    cursor: value('string', 'Opaque. Store it, and send it with the next request.', { maxLength: 512 }),
    more: value(
      'boolean',
      'Whether there is more now: then ask again at once, also if `data` is empty. If not, ask again later.',
    ),
  }),
})

const changeName = (resource: Resource) => `${singular(resource.name)}Change`

const changesOf = (resources: readonly Resource[]): Schema =>
  closed({
    data: arrayOf(anyOf(resources.map((each) => refer('schemas', changeName(each)))), {
      maxItems: limits.changes,
      description: 'The next records and changes, in order.',
    }),
    meta: { ...refer('schemas', 'ChangesMeta'), description: 'Where to go on.' },
  })

const anyOf = (schemas: readonly Schema[]): Schema => (schemas.length > 1 ? { oneOf: schemas } : { ...schemas[0] })

function schemasOf(resource: Resource): ByName<Schema> {
  const name = { const: resource.name, description: 'The resource that the record belongs to.' }
  const record = { ...refer('schemas', schemaNames(resource).record), description: 'The record as it is now.' }
  return {
    [changeName(resource)]: {
      oneOf: [
        closed({
          resource: name,
          id,
          change: { const: 'record', description: 'It is new or may have changed.' },
          record,
        }),
        closed({
          resource: name,
          id,
          change: { const: 'gone', description: 'It was deleted, or the key may no longer see it.' },
        }),
      ],
    },
    [`${changeName(resource)}s`]: changesOf([resource]),
  }
}

export const feedPaths = (described: readonly Described[]): ByName<PathItem> => ({
  '/changes': {
    get: operation('listChanges', 'Every record that the token may see, then every change.', described, 'Changes'),
  },
  ...Object.fromEntries(
    described.map((each) => {
      const { name } = each.resource
      const summary = `Every record of ${name}, then every change.`
      const own = operation(`list${pascal(name)}Changes`, summary, [each], `${changeName(each.resource)}s`)
      return [`/changes/${name}`, { get: own }]
    }),
  ),
})

function operation(
  operationId: string,
  summary: string,
  described: readonly Described[],
  schema: string,
): ApiOperation {
  const isOne = operationId !== 'listChanges'
  const [first] = described
  const codes = isOne ? codesOf.changesOfOne : codesOf.changes
  return {
    operationId,
    summary,
    description:
      'Without a cursor it begins with all records, in order of id. Then it goes on with what has changed: a record as it is now, or `gone`. Ask again with `meta.cursor`, at once while `meta.more` is true, later when it is not. Where the database of the tills has no journal, this address is not found, and `/resources` does not name it.',
    tags: [isOne && first ? first.resource.name : 'service'],
    security: isOne && first ? needs(first.resource.permission) : needs(),
    parameters: [refer('parameters', 'Cursor'), refer('parameters', 'Limit')],
    responses: {
      200: answer('The next records and changes.', schema, first && exampleOf(first)),
      ...errorResponses(codes),
    },
  }
}

function exampleOf({ resource: { name }, description }: Described) {
  const record = exampleRecord(name, description.fields)
  return {
    data: [
      { resource: name, id: record['id'], change: 'record', record },
      { resource: name, id: 17, change: 'gone' },
    ],
    meta: { cursor: 'Vitrine0Example0Cursor'.padEnd(512, '0'), more: false },
  }
}
