// Search words: parts of stored texts with their letters changed, to ones that are the same under folding and to ones
// that only look so.
import * as fc from 'fast-check'
import type { ResourceRule } from '../support/specification/index.ts'
import { nastyTexts } from './generate-values.ts'
import { rowsOf, type Database, type Row } from './relations.ts'

type Change = (character: string) => string

const same: readonly Change[] = [
  (character) => character,
  (character) => character.toUpperCase(),
  (character) => character.toLowerCase(),
  (character) => ({ s: 'ſ', S: 'ſ', k: '\u212a', σ: 'ς', ς: 'Σ', ß: 'ẞ', å: '\u212b', μ: 'µ' })[character] ?? character,
]
const other: readonly Change[] = [
  (character) => [...character.normalize('NFD')][0] ?? character,
  (character) =>
    ({ i: 'ı', I: 'İ', İ: 'i', ı: 'I', ß: 's', é: 'e\u0301', '%': '_', '\\': '/' })[character] ?? character,
]

const textsIn = (row: Row, columns: readonly string[]) =>
  columns.map((column) => row[column]).filter((text) => typeof text === 'string' && [...text].length >= 2) as string[]

// The last column is no searched one: nothing must be found through it.
function textOf(rule: ResourceRule, database: Database, like: Row): fc.Arbitrary<string> {
  const rows = [...rowsOf(database, rule.relation), ...rowsOf(database, `${rule.relation}_archive`)]
  const all = [...rows.flatMap((row) => textsIn(row, [...rule.search, 'notes'])), ...nastyTexts]
  const own = textsIn(like, rule.search)
  const any = fc.constantFrom(...all)
  return own.length === 0
    ? any
    : fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...own) }, { weight: 1, arbitrary: any })
}

// Two code points at least, a hundred at most.
const clip = (text: string) => {
  const characters = [...text].slice(0, 100)
  return characters.length < 2 ? `${text}an` : characters.join('')
}

const oneOf = (list: readonly Change[]) => fc.constantFrom(...list)
const length = fc.oneof(fc.constantFrom(2, 2, 3, 3, 4), fc.integer({ min: 2, max: 12 }), fc.constantFrom(99, 100))

export function search(rule: ResourceRule, database: Database, like: Row): fc.Arbitrary<string> {
  return fc
    .record({
      text: textOf(rule, database, like),
      start: fc.nat(),
      length,
      // One change for all letters, or another for each.
      changes: fc.oneof(
        { weight: 4, arbitrary: fc.tuple(oneOf(same)) },
        { weight: 3, arbitrary: fc.array(oneOf(same), { minLength: 2, maxLength: 5 }) },
        { weight: 2, arbitrary: fc.tuple(oneOf(other), oneOf(same)) },
      ),
    })
    .map(({ text, start, length, changes }) => {
      const characters = [...text]
      const from = start % Math.max(1, characters.length - length + 1)
      const part = characters.slice(from, from + length)
      return clip(part.map((each, place) => changes[place % changes.length]?.(each) ?? each).join(''))
    })
}
