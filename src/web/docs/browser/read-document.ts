// An OpenAPI document → the content of the reference. The service reads the document of the whole API, the page that of a token.

// What a schema allows, in the order it is shown.
export interface Limits {
  readonly limits: readonly (readonly [name: string, value: string])[]
  readonly values: readonly string[]
}

export interface DocumentedParameter extends Limits {
  readonly name: string
  readonly in: 'query' | 'path' | 'body'
  readonly type: string
  readonly description: string
  readonly isMultiple: boolean
  readonly isRequired: boolean
  readonly default: string | undefined
}

export interface DocumentedField extends Limits {
  readonly name: string
  readonly type: string
  readonly description: string
  readonly permission: string | undefined
  readonly isDetailOnly: boolean
}

// The answers with a status: one body for each code of an error.
export interface DocumentedAnswer {
  readonly status: string
  readonly description: string
  readonly bodies: readonly { readonly code: string | undefined; readonly body: unknown }[]
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
  readonly answers: readonly DocumentedAnswer[]
}

export interface DocumentedResource {
  readonly name: string
  readonly summary: string
  readonly permission: string
  readonly list: DocumentedOperation
  readonly detail: DocumentedOperation
  readonly fields: readonly DocumentedField[]
  // The path of its change feed, where there is one.
  readonly feed: string | undefined
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
    const [list, detail, feed] = operations.filter(({ tag }) => tag === name)
    if (name === 'service' || !list || !detail) return []
    const shown = Object.keys(follow(follow(list.record.properties.data).items).properties)
    const example = (detail.operation.answers[0]?.bodies[0]?.body as Json)?.data
    const fields = readFields(follow(detail.record.properties.data), shown, example, follow)
    const permission = detail.operation.permission ?? ''
    const [own, one] = [list.operation, detail.operation]
    return [{ name, summary: description, permission, list: own, detail: one, fields, feed: feed?.operation.path }]
  })
  const service = operations.filter(({ tag }) => tag === 'service').map(({ operation }) => operation)
  return {
    basePath,
    service,
    resources,
    errors: readErrors(operations.map(({ operation }) => operation)),
    permissions: Object.entries<string>(document.components.securitySchemes.token.flows.clientCredentials.scopes).map(
      ([name, opens]) => ({ name, opens }),
    ),
  }
}

// The path of an absolute or relative address. This page always calls the service that it came from.
const pathOf = (servers: Json): Json => servers?.[0].url.replace(/^https:\/\/[^/]*/, '').replace(/\/$/, '')

type Follow = (part: Json) => Json

function readOperation(
  path: string,
  method: string,
  operation: Json,
  follow: Follow,
): Omit<DocumentedOperation, 'basePath'> {
  const body = operation.requestBody?.content['application/x-www-form-urlencoded']
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    description: operation.description ?? '',
    permission: operation.security[0]?.token?.[0],
    needsToken: operation.security.length === 1 && 'token' in operation.security[0],
    parameters: [
      ...(operation.parameters ?? []).map((each: Json) => readParameter(follow(each))),
      ...(body ? readBody(follow(body.schema), body.example, follow) : []),
    ],
    answers: Object.entries<Json>(operation.responses).map(([status, answer]) => readAnswer(status, follow(answer))),
  }
}

function readParameter({ name, in: place, description, schema, example, required }: Json): DocumentedParameter {
  const isMultiple = schema.type === 'array'
  const value = isMultiple ? schema.items : schema
  return {
    name,
    in: place,
    type: typeName(value),
    description,
    isMultiple,
    isRequired: required === true,
    default: schema.default === undefined ? undefined : String(schema.default),
    ...readLimits({ ...value, ...schema, enum: value.enum }, example),
  }
}

const readBody = (schema: Json, examples: Json, follow: Follow): DocumentedParameter[] =>
  Object.entries<Json>(schema.properties).map(([name, part]) => {
    const { description, ...own } = follow(part)
    return readParameter({
      name,
      in: 'body',
      description,
      schema: { type: 'string', ...own },
      example: examples[name],
      required: schema.required.includes(name),
    })
  })

const limitNames = ['const', 'minimum', 'maximum', 'minLength', 'maxLength', 'maxItems', 'pattern', 'default']

// Bounds that every integer has in JSON, because larger numbers are not exact: not worth showing.
const isBound = (value: unknown) => Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER

function readLimits(schema: Json, example: Json): Limits {
  const named = limitNames.flatMap((name): [string, string][] =>
    schema[name] === undefined || isBound(schema[name]) ? [] : [[name, String(schema[name])]],
  )
  const isNews = example !== undefined && example !== null && !named.some(([, value]) => value === String(example))
  return {
    limits: isNews ? [...named, ['example', String(example)]] : named,
    values: (schema.enum ?? []).filter((value: unknown) => value !== null),
  }
}

function readAnswer(status: string, { description, content }: Json): DocumentedAnswer {
  const { example, examples = {} } = content?.['application/json'] ?? {}
  const bodies = Object.entries<Json>(examples).map(([code, { value }]) => ({ code, body: value }))
  return { status, description, bodies: example === undefined ? bodies : [{ code: undefined, body: example }] }
}

// `example`: a record that has the fields.
function readFields(
  record: Json,
  shown: readonly string[],
  example: Json,
  follow: Follow,
  within = '',
): DocumentedField[] {
  return Object.entries<Json>(record.properties).flatMap(([name, part]) => {
    const schema = follow(part)
    const isDetailOnly = !shown.includes(name)
    const description: string = part.description ?? ''
    const field: DocumentedField = {
      name: within + name,
      type: typeName(schema),
      description,
      permission: /Needs the permission ([\w:-]+)\./.exec(description)?.[1],
      isDetailOnly,
      ...readLimits(schema, schema.items ? undefined : example?.[name]),
    }
    if (!schema.items) return [field]
    const items = follow(schema.items)
    const all = isDetailOnly ? [] : Object.keys(items.properties)
    return [field, ...readFields(items, all, example?.[name]?.[0], follow, `${name}[].`)]
  })
}

function typeName(schema: Json): string {
  const type = [schema.type].flat().find((each) => each !== 'null')
  if (type === 'string' && schema.format === 'date') return 'date'
  return type === 'string' && /\\d.*T/.test(schema.pattern ?? '') ? 'date-time' : String(type)
}

// Without repeated codes.
function readErrors(operations: readonly Pick<DocumentedOperation, 'answers'>[]): DocumentedError[] {
  const found = new Map<string, DocumentedError>()
  for (const { status, bodies } of operations.flatMap(({ answers }) => answers))
    for (const { code, body } of bodies as { code?: string; body: Json }[])
      if (code !== undefined) found.set(code, { code, status, message: body.error_description ?? body.error.message })
  return [...found.values()].toSorted((one, other) => Number(one.status) - Number(other.status))
}
