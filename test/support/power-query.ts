// Runs a query in Power Query's language M: Microsoft's parser reads it, and this interpreter evaluates the expressions and functions
// that the guides use. It is no Power Query: a function that is not here is an error, and so is a value that does not fit its type.
import { DefaultSettings, ResultKind, TaskUtils } from '@microsoft/powerquery-parser'
import type { Part } from './openapi.ts'

export type Value = unknown
type Callable = (...values: Value[]) => Value
type Scope = ReadonlyMap<string, () => Value>
type RecordValue = Readonly<Record<string, Value>>

export interface Request {
  readonly address: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  // A request with a body is a POST.
  readonly content: string | undefined
}

export interface Table {
  readonly names: readonly string[]
  readonly rows: readonly (readonly Value[])[]
}

export async function parseQuery(text: string): Promise<Part> {
  const task = await TaskUtils.tryLexParse(DefaultSettings, text)
  if (task.resultKind === ResultKind.Error) throw new Error(`not valid M: ${task.error.message}`)
  return (task as Part).ast
}

// Functions and variables return values or promises of them. `send` returns the text of an answer.
export async function runQuery(text: string, send: (request: Request) => Promise<string>): Promise<Value> {
  const known = new Map(
    Object.entries({ ...library, 'Web.Contents': webContents(send) }).map(([name, it]) => [name, () => it]),
  )
  return evaluate(await parseQuery(text), known)
}

const elements = (list: Part): Part[] => list.elements.map((each: Part) => each.node)
const nameOf = (literal: string) => literal.replace(/^#"(.*)"$/, '$1')

async function evaluate(node: Part, scope: Scope): Promise<Value> {
  const at = (inner: Part, own: Scope = scope) => evaluate(inner, own)
  switch (node.kind) {
    case 'LetExpression': {
      const own = new Map(scope)
      // Each is evaluated when it is first needed, once.
      for (const { key, value } of elements(node.variableList)) {
        let found: Promise<Value> | undefined
        own.set(nameOf(key.literal), () => (found ??= at(value, own)))
      }
      return at(node.expression, own)
    }
    case 'RecordExpression': {
      const fields: Record<string, Value> = {}
      for (const { key, value } of elements(node.content)) fields[nameOf(key.literal)] = await at(value)
      return fields
    }
    case 'ListExpression':
      return Promise.all(elements(node.content).map((each) => at(each)))
    case 'FunctionExpression': {
      const names = elements(node.parameters.content).map(({ name }) => String(name.literal))
      return (...values: Value[]) =>
        at(node.expression, new Map([...scope, ...names.map((name, place) => [name, () => values[place]] as const)]))
    }
    case 'EachExpression':
      return (value: Value) => at(node.paired, new Map([...scope, ['_', () => value]]))
    case 'IfExpression':
      return (await at(node.condition)) === true ? at(node.trueExpression) : at(node.falseExpression)
    case 'ParenthesizedExpression':
      return at(node.content)
    case 'UnaryExpression':
      return (await at(node.typeExpression)) === false
    case 'LiteralExpression':
      return literalOf(node)
    case 'IdentifierExpression': {
      const found = scope.get(node.identifier.literal)
      if (!found) throw new Error(`${node.identifier.literal} is not known`)
      return found()
    }
    case 'TypePrimaryType':
      return `type ${node.paired.primitiveTypeKind}`
    case 'FieldSelector':
      return fieldOf(await scope.get('_')?.(), node.content.literal)
    case 'ArithmeticExpression':
    case 'EqualityExpression':
    case 'RelationalExpression':
      return operate(node.operatorConstant.constantKind, await at(node.left), await at(node.right))
    case 'RecursivePrimaryExpression': {
      let value = await at(node.head)
      for (const part of node.recursiveExpressions.elements as Part[]) {
        if (part.kind === 'FieldSelector') value = fieldOf(value, part.content.literal)
        else if (part.kind === 'ItemAccessExpression') value = (value as Value[])[Number(await at(part.content))]
        else if (part.kind === 'InvokeExpression')
          value = await (value as Callable)(...(await Promise.all(elements(part.content).map((each) => at(each)))))
        else throw new Error(`no ${part.kind} here`)
      }
      return value
    }
    default:
      throw new Error(`no ${node.kind} here`)
  }
}

function literalOf({ literal, literalKind }: Part): Value {
  if (literalKind === 'Text') return literal.slice(1, -1).replaceAll('""', '"')
  if (literalKind === 'Numeric') return Number(literal)
  return { true: true, false: false, null: null }[literal as string]
}

function fieldOf(value: Value, name: string): Value {
  const found = (value as RecordValue)[nameOf(name)]
  if (found === undefined) throw new Error(`there is no field ${name} in ${JSON.stringify(value)}`)
  return found
}

function operate(operator: string, left: Value, right: Value): Value {
  if (operator === '&') {
    if (Array.isArray(left) && Array.isArray(right)) return [...(left as Value[]), ...(right as Value[])]
    if (typeof left === 'string' && typeof right === 'string') return left + right
    if (typeof left === 'object' && typeof right === 'object') return { ...left, ...right }
  }
  if (operator === '=') return left === right
  if (operator === '<>') return left !== right
  if (operator === '+' && typeof left === 'number' && typeof right === 'number') return left + right
  if (operator === '<' && typeof left === 'number' && typeof right === 'number') return left < right
  throw new Error(`no ${operator} of these here`)
}

const asText = (value: Value): string => {
  if (typeof value !== 'string') throw new Error(`${JSON.stringify(value)} is not a text`)
  return value
}
const asTexts = (value: Value): Record<string, string> =>
  Object.fromEntries(Object.entries((value ?? {}) as RecordValue).map(([name, each]) => [name, asText(each)]))

const webContents =
  (send: (request: Request) => Promise<string>): Callable =>
  (address, options) => {
    const { RelativePath, Query, Headers, Content, ...others } = options as RecordValue
    if (Object.keys(others).length > 0) throw new Error(`no ${Object.keys(others).join()} here`)
    const path = asText(RelativePath)
    const content = Content === undefined ? undefined : asText(Content)
    return send({ address: asText(address), path, query: asTexts(Query), headers: asTexts(Headers), content })
  }

// What a column's type makes of a value.
const conversions: Readonly<Record<string, (value: Value) => Value>> = {
  'Int64.Type': (value) => (Number.isSafeInteger(value) ? value : undefined),
  'type number': (value) => (typeof value === 'number' ? value : undefined),
  'Currency.Type': (value) => (typeof value === 'number' ? Math.round(value * 1e4) / 1e4 : undefined),
  'type text': (value) => (typeof value === 'string' ? value : undefined),
  'type datetime': (value) =>
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(String(value)) ? new Date(`${String(value)}Z`) : undefined,
}

function typedTable({ names, rows }: Table, columns: readonly (readonly [string, string])[]): Table {
  const types = new Map(columns)
  const typed = (value: Value, name = '') => {
    const found = value === null ? null : conversions[types.get(name) ?? '']?.(value)
    if (found === undefined) throw new Error(`${name}: ${JSON.stringify(value)} is no ${types.get(name)}`)
    return found
  }
  return { names, rows: rows.map((row) => row.map((value, place) => typed(value, names[place]))) }
}

const inOrder = async <Result>(list: Value, act: (each: Value) => Promise<Result> | Result): Promise<Result[]> => {
  const results: Result[] = []
  for (const each of list as Value[]) results.push(await act(each))
  return results
}

const library: Readonly<Record<string, Value>> = {
  'Int64.Type': 'Int64.Type',
  'Currency.Type': 'Currency.Type',
  'Json.Document': (text: string) => JSON.parse(text) as Value,
  'Text.From': (value: number) => String(value),
  'Text.ToBinary': (text: string) => text,
  'Uri.BuildQueryString': (query: RecordValue) => new URLSearchParams(asTexts(query)).toString(),
  'Record.FieldOrDefault': (record: RecordValue, name: string) => record[name] ?? null,
  'List.IsEmpty': (list: Value[]) => list.length === 0,
  'List.Count': (list: Value[]) => list.length,
  'List.Combine': (lists: Value[][]) => lists.flat(),
  'List.Reverse': (list: Value[]) => list.toReversed(),
  'List.Buffer': (list: Value[]) => list,
  'List.Transform': (list: Value[], act: Callable) => inOrder(list, act),
  'List.Select': async (list: Value[], test: Callable) => {
    const kept = await inOrder(list, test)
    return list.filter((_, place) => kept[place] === true)
  },
  'List.Distinct': async (list: Value[], keyOf: Callable) => {
    const keys = await inOrder(list, keyOf)
    return list.filter((_, place) => keys.indexOf(keys[place]) === place)
  },
  'List.Generate': async (first: Callable, goesOn: Callable, next: Callable, select: Callable) => {
    const found: Value[] = []
    for (let state = await first(); (await goesOn(state)) === true; state = await next(state))
      found.push(await select(state))
    return found
  },
  'Table.FromRows': (rows: Value[][], names: string[]): Table => ({ names, rows }),
  'Table.TransformColumnTypes': typedTable,
}
