// Rows of a SELECT on the source → rows of a relation, through the checks of an import. Ids that are texts become numbers. The
// latest `updated_at` is noted: the next round reads from there.
import { setTimeout as wait } from 'node:timers/promises'
import type { Relation } from '../../contract/relation.ts'
import { referencesOf } from '../../contract/relations.ts'
import { OperatorError } from '../../errors.ts'
import type { RowInput } from '../import/scan.ts'
import {
  foundText,
  placeColumns,
  wrongValue,
  type ImportColumn,
  type ImportColumns,
  type RowSink,
  type StoredValue,
} from '../import/values.ts'
import { createRoundings, roundDouble, type RoundedColumn } from './doubles.ts'
import type { WrongRow, WrongRows } from './kept-out.ts'
import { hashedNumbers, isHashed } from './keys.ts'
import type { CopyMemory, KeyKinds } from './memory.ts'
import {
  isTextAt,
  SourceFailure,
  SourceTimeout,
  type NumberKind,
  type Source,
  type SourceBatch,
  type SourceColumn,
} from './source.ts'
import { duplicateRow, literal, wrongRow } from './wrong-rows.ts'

export interface CopyInput extends RowInput {
  // The ids that were read, as literals of the source.
  readonly ids: readonly string[]
  // The latest `updated_at`; undefined if a row has none, or if there are no rows.
  latest(): string | undefined
  // Columns with floating-point numbers that were not copied exactly.
  rounded(): readonly RoundedColumn[]
  // Rows that the checks refuse.
  readonly wrong: WrongRows
  // The columns of amounts.
  readonly numberKinds: ReadonlyMap<string, NumberKind>
}

export interface CopyInputOptions {
  readonly relation: Relation
  // The statements to read in turn. Called when the relation is about to be read.
  readonly selects: () => readonly string[]
  readonly source: Source
  readonly memory: CopyMemory
  // Added to while relations are read: a relation is read before those that refer to it.
  readonly keyKinds: KeyKinds
  readonly keepsIds: boolean
  // Of how many wrong rows more is known than their count.
  readonly mostWrong: number
}

export function copyInput(options: CopyInputOptions): CopyInput {
  const { relation, selects, source, keepsIds, mostWrong } = options
  const ids: string[] = []
  const roundings = createRoundings(relation.name)
  let latest: string | undefined = ''
  const wrong: WrongRows = { relation, first: [], count: 0 }
  const addWrong = (row: () => WrongRow) => {
    wrong.count += 1
    if (wrong.first.length < mostWrong) wrong.first.push(row())
  }
  const numberKinds = new Map<string, NumberKind>()
  const keyText = async (key: readonly unknown[]) => {
    const texts = relation.key.map((column, at) => options.memory.keyOf(spaceOf(relation, column) ?? '', key[at]))
    return (await Promise.all(texts)).join(', ')
  }
  return {
    wrong,
    numberKinds,
    name: relation.name,
    relation,
    keepsUnknownCodes: true,
    rowWord: 'row',
    ids,
    latest: () => latest || undefined,
    rounded: roundings.all,
    async takeDuplicates(found, count) {
      for (const { key, ...row } of found) {
        const text = await keyText(key)
        const own = options.keyKinds.get(spaceOf(relation, 'id') ?? '') === true ? source.quoteText(text) : text
        addWrong(() => duplicateRow(relation, { ...row, key, text, literal: own }))
      }
      wrong.count += count - found.length
    },
    async *read(columns, sink) {
      let line = 0
      let since = performance.now()
      const updatedAt = columns.find('updated_at')
      try {
        for (const select of selects()) {
          let places: (ColumnPlace | undefined)[] | null | undefined
          for await (const batch of source.batches(select)) {
            if (places === undefined) places = placesOf(batch.columns, columns, relation, sink)
            // Read to the end, so that the next statement can run.
            if (!places) continue
            noteKinds(batch.columns, columns, numberKinds)
            const numbers = await numberKeys(batch, places, options)
            const placed = { relation, places, columns, batch, source }
            const idAt = places.findIndex((place) => place?.name === 'id')
            for (const [rowAt, row] of batch.rows.entries()) {
              line += 1
              const at = line
              const { values, faults } = readRow(row, rowAt, { places, columns, numbers, onRounded: roundings.add })
              if (faults.length > 0) {
                addWrong(() => wrongRow(row, rowAt, values, { ...placed, line: at, faults }))
                continue
              }
              if (keepsIds) ids.push(literal(row[idAt] ?? '', rowAt, batch.columns[idAt], source))
              const changedAt = updatedAt && values[updatedAt.at]
              if (latest !== undefined) latest = typeof changedAt === 'string' ? later(latest, changedAt) : undefined
              sink.row(line, values)
            }
            yield
            // The tills get half of the time.
            await wait(performance.now() - since)
            since = performance.now()
          }
        }
      } catch (error) {
        sink.fault(null, null, refusedSelect(error, relation))
      }
    },
  }
}

// The fault of a SELECT that the source refuses. The others are still tried, so that all faults are reported together.
export function refusedSelect(error: unknown, { name }: Relation): string {
  const failed = `The SELECT failed: ${(error as Error).message.replace(/\.$/, '')}.`
  if (error instanceof SourceTimeout) throw new OperatorError(`${name}: ${failed}`, 1)
  if (!(error instanceof SourceFailure)) throw error
  return failed
}

const later = (one: string, other: string) => (one > other ? one : other)

// Where a column of the source goes.
interface ColumnPlace extends ImportColumn {
  // Set if it holds ids: the space in which they are numbered.
  readonly space: string | undefined
  // Set if it holds amounts as floating-point numbers: see SourceColumn.
  readonly centsBelow: number | undefined
}

// From this size on, doubles are not exact to the unit.
const wholeBelow = 2 ** 53
const belowWhole = `below ${wholeBelow.toLocaleString('en-US')}`

// Null: the key is missing, so that rows cannot be read.
export function placesOf(
  given: readonly SourceColumn[],
  columns: ImportColumns,
  relation: Relation,
  sink: Pick<RowSink, 'fault'>,
): (ColumnPlace | undefined)[] | null {
  const names = given.map(({ name }) => name)
  const unknown = names.filter((name) => !columns.find(name))
  // Together where the message is the same: it may list all columns.
  for (const [message, same] of Map.groupBy(unknown, (name) => columns.unknown(name)))
    sink.fault(null, same.join(', '), message)
  const placed = placeColumns(names, columns, (column, message) => sink.fault(null, column, message))
  if (!placed) return null
  return placed.map((column, at) => {
    const centsBelow = column?.type === 'num' ? given[at]?.centsBelow : undefined
    const expected =
      centsBelow === undefined ? column?.expected : `${column?.expected}, as a floating-point number ${belowWhole}`
    return column && { ...column, space: spaceOf(relation, column.name), centsBelow, expected: expected ?? '' }
  })
}

// A record keeps its number when it is moved to the archive.
function spaceOf(relation: Relation, column: string): string | undefined {
  const target = column === 'id' ? relation.name : referencesOf(relation)[column]?.[0]
  return target?.replace(/_archive$/, '')
}

// By the position of a column with keys: which of its cells are numbered, and the number of each.
type Numbers = ReadonlyMap<number, { isNumbered(row: number): boolean; numberOf(text: string): number | undefined }>

// A key of the relation itself is numbered if it is a text. A reference is read as the keys of its relation are, so that '007' may refer
// to 7; if these are unknown, it is numbered if it is a text itself.
async function numberKeys(
  { columns, rows }: SourceBatch,
  places: readonly (ColumnPlace | undefined)[],
  { memory, keyKinds }: CopyInputOptions,
): Promise<Numbers> {
  const numbers: Map<number, ReturnType<Numbers['get']> & object> = new Map()
  for (const [at, place] of places.entries()) {
    const column = columns[at]
    if (place?.space === undefined || !column || rows.length === 0) continue
    const { space, name } = place
    const isOwn = name === 'id'
    if (isOwn) keyKinds.set(space, column.isText || keyKinds.get(space) === true)
    const kind = isOwn ? undefined : keyKinds.get(space)
    const isNumbered = (row: number) => kind ?? isTextAt(column, row)
    const write = (text: string) => (column.ignoresCase ? text.trimEnd().toLowerCase() : text.trimEnd())
    const texts = rows.flatMap((row, rowAt) => (isNumbered(rowAt) ? (row[at] ?? []) : []))
    const keys = new Set(texts.map(write))
    keys.delete('')
    const found = await memory.numbersOf(space, new Set([...keys].filter(isStorable)))
    numbers.set(at, { isNumbered, numberOf: (text) => found.get(write(text)) })
  }
  return numbers
}

const isStorable = (key: string) => !key.includes('\0')

interface RowOptions {
  readonly places: readonly (ColumnPlace | undefined)[]
  readonly columns: ImportColumns
  readonly numbers: Numbers
  readonly onRounded: (column: string, from: string, to: string) => void
}

function readRow(row: readonly (string | null)[], rowAt: number, { places, columns, numbers, onRounded }: RowOptions) {
  const values = Array<StoredValue>(columns.all.length).fill(null)
  const faults: WrongRow['faults'][number][] = []
  for (const [at, place] of places.entries()) {
    const text = row[at] ?? null
    if (!place || (text === null && !place.isKey)) continue
    const numbered = numbers.get(at)
    const value =
      text === null
        ? undefined
        : numbered?.isNumbered(rowAt)
          ? (numbered.numberOf(text) ?? emptyKey(text, place))
          : readCell(place, text, onRounded)
    if (value !== undefined) values[place.at] = value
    else {
      const hint = place.space === undefined || !text?.trim() ? '' : numberedHint(place)
      const isTaken = hint !== '' && isHashed(Number(text))
      const message = (isTaken ? takenNumber : wrongValue)(place, foundText(text ?? ''))
      faults.push({ column: place.name, message, where: inRow(row, places) + hint })
    }
  }
  return { values, faults }
}

function noteKinds(given: readonly SourceColumn[], columns: ImportColumns, kinds: Map<string, NumberKind>): void {
  for (const { name, numberKind } of given) {
    const column = columns.find(name)
    if (column?.type === 'num' && numberKind !== undefined) kinds.set(column.name, numberKind)
  }
}

const takenNumber = (_: ImportColumn, found: string) =>
  `The numbers from ${hashedNumbers.from} to ${hashedNumbers.to} are for keys that are texts; found ${found}.`

const numberedHint = ({ name }: ImportColumn) =>
  ` Such keys can be numbered as texts: CAST(${name} AS CHAR) AS ${name}, and the same in every view that refers to them.`

// An empty reference is none; an empty key is reported.
const emptyKey = (text: string, { isKey }: ImportColumn) => (text.trim() === '' && !isKey ? null : undefined)

// Any number but 0 is true, as in MySQL.
function readCell(place: ColumnPlace, text: string, onRounded: RowOptions['onRounded']) {
  if (place.type === 'bool' && /^-?\d+$/.test(text)) return place.read(String(Number(Number(text) !== 0)))
  if (place.centsBelow === undefined) {
    const value = place.read(text)
    return place.space !== undefined && typeof value === 'number' && isHashed(value) ? undefined : value
  }
  if (Math.abs(Number(text)) >= wholeBelow) return undefined
  const rounded = roundDouble(text, place.centsBelow)
  if (!rounded.isExact) onRounded(place.name, text, rounded.text)
  return place.read(rounded.text)
}

function inRow(row: readonly (string | null)[], places: readonly (ColumnPlace | undefined)[]): string {
  const keys = places.flatMap((place, at) => (place?.isKey ? [`${place.name} ${row[at]}`] : []))
  return ` In the row with ${keys.join(' and ')}.`
}
