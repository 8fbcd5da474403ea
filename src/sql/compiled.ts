// Statements composed once for all plans of the same shape: composing takes longer than running. The values of a plan are
// replaced by marks, the statement is composed with these, and for each plan its values take the places of the marks.
import type { Value } from './dialect.ts'
import type { Statement } from './statement.ts'

// What varies within a shape, by place: marks go in, statements come out with the values.
type Compose = (values: readonly Value[]) => Statement

interface Compiled {
  readonly text: string
  // For each value of the statement: the place of a plan's value, or a value that is always the same.
  readonly values: readonly { readonly place: number; readonly always: Value }[]
}

// Odd combinations do not pile up.
const mostCompiled = 1000
// No plan has a number like these; a mark is of the type of what it stands for, because placeholders depend on it.
const firstMark = -(2 ** 60)
const markFor = (value: Value, place: number): Value =>
  typeof value === 'number' ? firstMark + place * 4096 : `\u0000${place}`

type Compile = (shape: string, values: readonly Value[], compose: Compose) => Statement

export function createCompiler(): Compile {
  const known = new Map<string, Compiled>()
  return (shape, values, compose) => {
    const key = `${shape} ${values.map((value) => (typeof value === 'number' ? 'n' : 't')).join('')}`
    let compiled = known.get(key)
    if (!compiled) {
      if (known.size >= mostCompiled) known.clear()
      const marks = values.map(markFor)
      const { text, values: composed } = compose(marks)
      compiled = { text, values: composed.map((value) => ({ place: marks.indexOf(value), always: value })) }
      known.set(key, compiled)
    }
    return {
      text: compiled.text,
      values: compiled.values.map(({ place, always }) => (place === -1 ? always : (values[place] ?? null))),
    }
  }
}
