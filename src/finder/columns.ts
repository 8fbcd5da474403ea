// A base: the columns of codes that lists of one collection are found by, and the builder
// that makes one from rows. A base is immutable plain data in shared memory, so that threads
// use the same copy. Its rows are in the order of their ids.
//
// Three records with the ids 7, 9 and 12 and the totals 50, none and 20:
//
//   ids           7  9 12
//   dictionary   20 50       the distinct values in order; none is not one of them
//   codes         2  0  1    by row: the place of its value in the dictionary, 0 for none
//   index.rows    1  2  0    the rows by code, then by id
//   index.starts  0  1  2  3 where the rows of code 0, 1 and 2 begin, and where all end
//
// `total >= 30` is "codes from 2 on": the rows from starts[2] on, which is row 0, id 7. What
// if a value is not in the dictionary? 30 is not; the first code that is not smaller counts.
import type { Collection } from '../catalogue/collections.ts'
import type { ColumnType } from '../contract/relation.ts'
import type { Cell, Id, Row } from '../sql/statement.ts'
import { dictionarySize, rankNumbers, rankTexts, type Dictionary, type Ranked } from './dictionary.ts'
import { createInterner, foldForSearch, grown, pickUsed, shared, textCount, type TextTable } from './texts.ts'
import { firstWhere, idValue, textOf, valueOf, type Comparable } from './values.ts'

export interface Base {
  readonly collection: Collection
  /** Ascending. Bigints where one is beyond 2^53. */
  readonly ids: Float64Array | BigInt64Array
  readonly values: Readonly<Record<string, ValueColumn>>
  readonly texts: Readonly<Record<string, SearchedColumn>>
}

export type CodeArray = Uint8Array | Uint16Array | Uint32Array

export interface ValueColumn {
  readonly codes: CodeArray
  readonly dictionary: Dictionary
  readonly index: Index | null
}

/** Row numbers by code, then by id. The rows of a code begin at its start and end at the start of the next code. */
interface Index {
  readonly rows: Uint32Array
  readonly starts: Uint32Array
}

export interface SearchedColumn {
  readonly codes: CodeArray
  readonly texts: TextTable
}

/** Of rows with the same id, a recent one replaces an archived one, and a later one an earlier one. */
export function createBuilder(collection: Collection) {
  const { values, texts } = collection
  const valueLists = values.map(({ type, isFolded }) => createList(type, (cell) => valueOf(type, isFolded, cell)))
  const textLists = texts.map(() =>
    createList('text', (cell) => (typeof cell === 'string' ? foldForSearch(cell) : null)),
  )
  let ids: Float64Array<ArrayBuffer> | BigInt64Array<ArrayBuffer> = new Float64Array(1024)
  let isRecent = new Uint8Array(1024)
  let count = 0

  function addId(id: Id, recent: boolean): void {
    if (count === ids.length) {
      ids = grown(ids)
      isRecent = grown(isRecent)
    }
    if (typeof id === 'bigint' && ids instanceof Float64Array) ids = BigInt64Array.from(ids, BigInt)
    ids[count] = ids instanceof Float64Array ? id : BigInt(id)
    isRecent[count] = Number(recent)
    count += 1
  }

  return {
    /** A row has the id, the values, then the texts, each in the order of the collection. */
    add(age: 'recent' | 'archived', rows: readonly Row[]): void {
      for (const row of rows) {
        let at = 1
        for (const list of valueLists) list.add(count, row[at++] ?? null)
        for (const list of textLists) list.add(count, row[at++] ?? null)
        addId(idValue(row[0]), age === 'recent')
      }
    },
    finish(): Base {
      const rows = remainingRows(ids, isRecent, count)
      const result = {
        collection,
        ids: shared(gather(ids, rows)),
        values: {} as Record<string, ValueColumn>,
        texts: {} as Record<string, SearchedColumn>,
      }
      // Shifted off, so that the memory of each list is free before the next column is made.
      for (const { column, type, isIndexed } of values) {
        const { numbers, texts: unsorted, codes } = (valueLists.shift() as CellList).finish(rows)
        const ranked = numbers ? rankNumbers(type, numbers) : rankTexts(type, unsorted, codes)
        result.values[column] = packColumn(ranked, isIndexed)
      }
      for (const column of texts) {
        const { texts: all, codes } = (textLists.shift() as CellList).finish(rows)
        result.texts[column] = packSearched(pickUsed(all, codes))
      }
      return result
    },
  }
}

export const allRows = (count: number) => new Uint32Array(count).map((_, row) => row)

/** The row numbers in the order of ids, without the rows that another one replaces. */
function remainingRows(ids: Base['ids'], isRecent: Uint8Array, count: number): Uint32Array {
  const compare = (a: number, b: number) => {
    const idA = ids[a] as Id
    const idB = ids[b] as Id
    return idA < idB ? -1 : idA > idB ? 1 : (isRecent[a] as number) - (isRecent[b] as number) || a - b
  }
  const rows = allRows(count)
  if (rows.some((row) => row > 0 && compare(row - 1, row) > 0)) rows.sort(compare)
  return rows.filter((row, at) => at + 1 === count || ids[row] !== ids[rows[at + 1] as number])
}

type CellList = ReturnType<typeof createList>

/** The values of one column, by row: numbers, or codes of texts as soon as one of them is a text. */
function createList(type: ColumnType, valueOfCell: (cell: Cell) => Comparable | null) {
  const interner = createInterner()
  let numbers = type === 'text' ? null : new Float64Array(1024)
  let codes = new Uint32Array(type === 'text' ? 1024 : 0)
  const codeOfText = (value: Comparable | null) => (value === null ? 0 : interner.add(textOf(type, value)))

  function put(row: number, value: Comparable | null): void {
    if (numbers && typeof value === 'string') {
      codes = new Uint32Array(numbers.length)
      for (const [at, number] of numbers.subarray(0, row).entries())
        codes[at] = codeOfText(Number.isNaN(number) ? null : number)
      numbers = null
    }
    if (numbers) {
      if (row === numbers.length) numbers = grown(numbers)
      numbers[row] = value === null ? Number.NaN : (value as number)
    } else {
      if (row === codes.length) codes = grown(codes)
      codes[row] = codeOfText(value)
    }
  }

  return {
    add: (row: number, cell: Cell) => put(row, valueOfCell(cell)),
    finish: (rows: Uint32Array) => ({
      numbers: numbers && gather(numbers, rows),
      texts: interner.texts(),
      codes: numbers ? codes : gather(codes, rows),
    }),
  }
}

/** The values of the given rows. */
export function gather<List extends Uint32Array | Float64Array | BigInt64Array>(list: List, rows: Uint32Array): List {
  const gathered = list.slice(0, rows.length) as List
  for (let at = 0; at < rows.length; at += 1) gathered[at] = list[rows[at] as number] as never
  return gathered
}

export function packColumn({ dictionary, codes }: Ranked, isIndexed: boolean): ValueColumn {
  const size = dictionarySize(dictionary)
  const index = isIndexed ? sortByCode(allRows(codes.length), codes, size) : null
  const sharedIndex = index && { rows: shared(index.rows), starts: shared(index.starts) }
  return { codes: packCodes(codes, size), dictionary, index: sharedIndex }
}

export const packSearched = ({ codes, texts }: SearchedColumn): SearchedColumn => ({
  codes: packCodes(codes, textCount(texts)),
  texts,
})

const packCodes = (codes: CodeArray, most: number): CodeArray =>
  shared(most < 2 ** 8 ? new Uint8Array(codes) : most < 2 ** 16 ? new Uint16Array(codes) : codes)

/** A stable counting sort of rows whose codes are given, each at the place of its row. */
export function sortByCode(rows: Uint32Array, codes: Uint32Array, size: number): Index {
  const starts = new Uint32Array(size + 2)
  for (let at = 0; at < codes.length; at += 1) {
    const next = (codes[at] as number) + 1
    starts[next] = (starts[next] as number) + 1
  }
  for (let code = 0; code <= size; code += 1) starts[code + 1] = (starts[code + 1] as number) + (starts[code] as number)
  const sorted = new Uint32Array(rows.length)
  for (let at = 0; at < rows.length; at += 1) {
    const code = codes[at] as number
    const place = starts[code] as number
    sorted[place] = rows[at] as number
    starts[code] = place + 1
  }
  // Each start is now that of the next code.
  starts.copyWithin(1, 0)
  starts[0] = 0
  return { rows: sorted, starts }
}

export const idOf = ({ ids }: Base, row: number): Id => idValue(ids[row])

/** -1 if no row has the id. */
export function rowOf({ ids }: Base, id: Id): number {
  const row = firstWhere(0, ids.length, (at) => (ids[at] as Id) >= id)
  return row < ids.length && !((ids[row] as Id) > id) ? row : -1
}

export function bytesOfBase(base: Base): number {
  const bytesOf = (part: unknown): number => {
    if (ArrayBuffer.isView(part)) return part.byteLength
    if (typeof part !== 'object' || part === null) return 0
    return Object.values(part).reduce<number>((sum, each) => sum + bytesOf(each), 0)
  }
  return bytesOf(base)
}
