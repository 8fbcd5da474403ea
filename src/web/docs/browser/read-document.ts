// An OpenAPI document → the content of the reference. The service reads the document of the whole API, the page that of a token.

export interface DocumentedParameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly type: string
  readonly description: string
  readonly values: readonly string[]
  readonly isMultiple: boolean
  readonly default: string | undefined
}

export interface DocumentedField {
  readonly name: string
  readonly type: string
  readonly description: string
  readonly values: readonly string[]
  readonly permission: string | undefined
  readonly isDetailOnly: boolean
}

export interface DocumentedOperation {
  readonly id: string
  readonly method: string
  readonly basePath: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly permission: string | undefined
  readonly needsToken: boolean
  readonly parameters: readonly DocumentedParameter[]
  readonly example: unknown
}

export interface DocumentedResource {
  readonly name: string
  readonly summary: string
  readonly permission: string
  readonly list: DocumentedOperation
  readonly detail: DocumentedOperation
  readonly fields: readonly DocumentedField[]
}

interface DocumentedError {
  readonly code: string
  readonly status: string
  readonly message: string
}

export interface ApiReference {
  readonly basePath: string
  readonly service: readonly DocumentedOperation[]
  readonly resources: readonly DocumentedResource[]
  readonly errors: readonly DocumentedError[]
  readonly permissions: readonly { readonly name: string; readonly opens: string }[]
}

// oxlint-disable-next-line typescript/no-explicit-any -- a JSON pointer may name any place in the document
type Json = any

export function readDocument(document: Json): ApiReference {
  const follow = (part: Json): Json => {
    if (typeof part?.$ref !== 'string') return part
    const names: string[] = part.$ref.split('/').slice(1)
    // Properties beside a $ref override those it refers to.
    const { $ref: _reference, ...beside } = part
    return { ...follow(names.reduce((at: Json, name) => at[name], document)), ...beside }
  }
  const basePath = pathOf(document.servers)
  const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({
      tag: operation.tags[0],
      operation: { ...readOperation(path, method, operation, follow), basePath: pathOf(operation.servers) ?? basePath },
      record: follow(operation.responses[200].content?.['application/json']?.schema),
    })),
  )
  const resources = (document.tags as { name: string; description: string }[]).flatMap(({ name, description }) => {
    const [list, detail] = operations.filter(({ tag }) => tag === name)
    if (name === 'service' || !list || !detail) return []
    const shown = Object.keys(follow(follow(list.record.properties.data).items).properties)
    const fields = readFields(follow(detail.record.properties.data), shown, follow)
    const permission = detail.operation.permission ?? ''
    return [{ name, summary: description, permission, list: list.operation, detail: detail.operation, fields }]
  })
  return {
    basePath,
    service: operations.filter(({ tag }) => tag === 'service').map(({ operation }) => operation),
    resources,
    errors: readErrors(document, follow),
    permissions: Object.entries<string>(document.components.securitySchemes.token.flows.clientCredentials.scopes).map(
      ([name, opens]) => ({ name, opens }),
    ),
  }
}

// The path of an absolute or relative address. This page always calls the service that it came from.
const pathOf = (servers: Json): Json => servers?.[0].url.replace(/^https:\/\/[^/]*/, '').replace(/\/$/, '')

type Follow = (part: Json) => Json

const readOperation = (
  path: string,
  method: string,
  operation: Json,
  follow: Follow,
): Omit<DocumentedOperation, 'basePath'> => ({
  id: operation.operationId,
  method: method.toUpperCase(),
  path,
  summary: operation.summary,
  description: operation.description ?? '',
  permission: operation.security[0]?.token?.[0],
  needsToken: operation.security.length === 1 && 'token' in operation.security[0],
  parameters: (operation.parameters ?? []).map((each: Json) => readParameter(follow(each))),
  example: operation.responses[200].content?.['application/json']?.example,
})

function readParameter({ name, in: place, description, schema }: Json): DocumentedParameter {
  const isMultiple = schema.type === 'array'
  const value = isMultiple ? schema.items : schema
  return {
    name,
    in: place,
    type: typeName(value),
    description,
    values: value.enum ?? [],
    isMultiple,
    default: schema.default === undefined ? undefined : String(schema.default),
  }
}

function readFields(record: Json, shown: readonly string[], follow: Follow, within = ''): DocumentedField[] {
  return Object.entries<Json>(record.properties).flatMap(([name, part]) => {
    const schema = follow(part)
    const isDetailOnly = !shown.includes(name)
    const description: string = part.description ?? ''
    const field: DocumentedField = {
      name: within + name,
      type: typeName(schema),
      description,
      values: (schema.enum ?? []).filter((value: unknown) => value !== null),
      permission: /Needs the permission ([\w:-]+)\./.exec(description)?.[1],
      isDetailOnly,
    }
    if (!schema.items) return [field]
    const items = follow(schema.items)
    const all = isDetailOnly ? [] : Object.keys(items.properties)
    return [field, ...readFields(items, all, follow, `${name}[].`)]
  })
}

function typeName(schema: Json): string {
  const type = [schema.type].flat().find((each) => each !== 'null')
  if (type === 'string' && schema.format === 'date') return 'date'
  return type === 'string' && /\\d.*T/.test(schema.pattern ?? '') ? 'date-time' : String(type)
}

// Each code once.
function readErrors(document: Json, follow: Follow): DocumentedError[] {
  const found = new Map<string, DocumentedError>()
  for (const item of Object.values<Json>(document.paths))
    for (const operation of Object.values<Json>(item))
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        const examples = follow(response).content?.['application/json'].examples ?? {}
        for (const [code, { value }] of Object.entries<Json>(examples))
          found.set(code, { code, status, message: value.error_description ?? value.error.message })
      }
  return [...found.values()].toSorted((one, other) => Number(one.status) - Number(other.status))
}
