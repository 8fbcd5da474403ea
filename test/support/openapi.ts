// Holds answers against an OpenAPI document: the status, the headers and the body must be as the document has them.
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { basePath } from '../../src/app.ts'
import { describeApi, type ApiDescription } from '../../src/describe/openapi/document.ts'

export interface AnswerToHold {
  readonly method: string
  // With or without the base path; without a query.
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

// oxlint-disable-next-line typescript/no-explicit-any -- a document is looked into at whatever place a pointer names
export type Part = any

interface Holder {
  readonly pathOf: (path: string) => string | undefined
  readonly at: (pointer: string) => { readonly pointer: string; readonly part: Part }
  readonly faultsOf: (pointer: string, value: unknown) => string[]
}

const holders = new WeakMap<object, Holder>()

export const pointerTo = (...names: (string | number)[]) =>
  `#/${names.map((name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`

// The part at a pointer, and where it really stands if it refers to another.
export function resolve(document: ApiDescription, pointer: string): { pointer: string; part: Part } {
  let part: Part = document
  for (const name of pointer.split('/').slice(1)) part = part?.[name.replaceAll('~1', '/').replaceAll('~0', '~')]
  return part && typeof part.$ref === 'string' ? resolve(document, part.$ref) : { pointer, part }
}

function holderOf(document: ApiDescription): Holder {
  const known = holders.get(document)
  if (known) return known
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    // Every process of a test run compiles again, and optimising takes longer than it saves.
    inlineRefs: false,
    code: { optimize: false },
  })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const validators = new Map<string, ValidateFunction>()
  const templates = Object.entries(document.paths).map(([path, item]) => ({
    path,
    isBesideApi: Object.values(item).some(({ servers }) => servers !== undefined),
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  const base = document.servers[0]?.url ?? ''
  const holder: Holder = {
    pathOf(path) {
      const own = path.startsWith(`${base}/`) ? path.slice(base.length) : path
      return templates.find(({ pattern, isBesideApi }) => pattern.test(isBesideApi ? path : own))?.path
    },
    at: (pointer) => resolve(document, pointer),
    faultsOf(pointer, value) {
      let validate = validators.get(pointer)
      if (!validate) validators.set(pointer, (validate = ajv.compile({ $ref: `openapi${encodeURI(pointer)}` })))
      return validate(value) ? [] : (validate.errors ?? []).map(sentence)
    },
  }
  holders.set(document, holder)
  return holder
}

const sentence = ({ instancePath, message, params }: ErrorObject) =>
  `${instancePath || 'It'} ${message} (${JSON.stringify(params)}).`

export const isDescribed = (document: ApiDescription, path: string) => holderOf(document).pathOf(path) !== undefined

export function validateAnswer(document: ApiDescription, answer: AnswerToHold): string[] {
  const holder = holderOf(document)
  const path = holder.pathOf(answer.path)
  if (path === undefined) return [`${answer.path} is not described.`]
  const methods = Object.keys(document.paths[path] ?? {})
  const own = methods.find((each) => each.toUpperCase() === answer.method)
  const method = own ?? methods[0] ?? ''
  const isItsMethod = own !== undefined
  const isMisplaced = isItsMethod ? answer.status === 405 : answer.status < 400
  const found = holder.at(pointerTo('paths', path, method, 'responses', answer.status))
  if (!found.part) return [`${answer.status} is not described.`]
  return [
    ...(isMisplaced ? [`${answer.status} is no answer to ${answer.method}.`] : []),
    ...headerFaults(document, holder, found.part, answer.headers),
    // Of HEAD, the pipeline answers as it would GET; the body is left out when the answer is sent.
    ...(found.part.content ? holder.faultsOf(`${found.pointer}/content/application~1json/schema`, answer.body) : []),
  ]
}

function headerFaults(
  document: ApiDescription,
  holder: Holder,
  response: Part,
  headers: Readonly<Record<string, string>>,
): string[] {
  const described = Object.keys(response.headers)
  const foreign = Object.keys(headers).filter(
    (name) => name in document.components.headers && !described.includes(name),
  )
  const faults = described.flatMap((name) => {
    const { pointer, part } = holder.at(response.headers[name].$ref)
    const text = headers[name]
    if (text === undefined) return part.required ? [`The header ${name} is missing.`] : []
    const value = part.schema.type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text
    return holder.faultsOf(`${pointer}/schema`, value).map((fault) => `The header ${name}, ${text}: ${fault}`)
  })
  return [...foreign.map((name) => `The header ${name} is not described here.`), ...faults]
}

let whole: ApiDescription | undefined
// The description without a token; made once in a process.
export const wholeDocument = (): ApiDescription => (whole ??= describeApi(null, basePath))
