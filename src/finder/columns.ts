// A base: what lists of one collection are found by, as columns of codes. Immutable plain data in shared memory, so that threads
// use the same copy. Rows are in the order of their ids.
import type { Collection, CollectionValue } from '../catalogue/collections.ts'
import { dictionarySize, rankNumbers, rankTexts, type Dictionary, type Ranked } from './dictionary.ts'
import { createInterner, foldForSearch, grown, shared, sharedTexts, textCount, type Texts } from './texts.ts'
import { idValue, textOf, valueOf, type Cell, type Id, type Value } from './values.ts'

export interface Base {
  readonly collection: FoundCollection
  /** Ascending. Bigints where one is beyond 2^53. */
  readonly ids: Float64Array | BigInt64Array
  readonly values: Readonly<Record<string, Column>>
  readonly texts: Readonly<Record<string, SearchedColumn>>
}

/** Of a collection, what says how its rows are kept. */
export type FoundCollection = Pick<Collection, 'name' | 'values' | 'texts'>

export type Codes = Uint8Array | Uint16Array | Uint32Array

export interface Column {
  readonly codes: Codes
  readonly dictionary: Dictionary
  readonly index: Index | null
}

/** Rows by code, then by id; those of a code begin at its start and end at the next one's. */
interface Index {
  readonly rows: Uint32Array
  readonly starts: Uint32Array
}

export interface SearchedColumn {
  readonly codes: Codes
  readonly texts: Texts
}

/** The id, the values, then the texts, each in the order of the collection. */
export type Row = readonly Cell[]
export type Part = 'archived' | 'recent'

/** Of rows with the same id, a recent one replaces an archived one, and a later one an earlier one. */
export function createBuilder({ name, values: kept, texts: searched }: FoundCollection) {
  const values = kept.map(createValueList)
  const texts = searched.map(createTextList)
  let ids: Float64Array<ArrayBuffer> | BigInt64Array<ArrayBuffer> = new Float64Array(1024)
  let isRecent = new Uint8Array(1024)
  let count = 0

  function addId(id: Id): void {
    if (count === ids.length) {
      ids = grown(ids)
      isRecent = grown(isRecent)
    }
    if (typeof id === 'bigint' && ids instanceof Float64Array) ids = BigInt64Array.from(ids, BigInt)
    ids[count] = ids instanceof Float64Array ? id : BigInt(id)
  }

  return {
    add(part: Part, rows: readonly Row[]): void {
      for (const row of rows) {
        addId(idValue(row[0]))
        isRecent[count] = Number(part === 'recent')
        let at = 1
        for (const list of values) list.add(count, row[at++] ?? null)
        for (const list of texts) list.add(count, row[at++] ?? null)
        count += 1
      }
    },
    finish(): Base {
      const rows = remainingRows(ids, isRecent, count)
      const result = {
        collection: { name, values: kept, texts: searched },
        ids: packIds(rows.length, (row) => idAt(ids, rows[row] as number)),
        values: {} as Record<string, Column>,
        texts: {} as Record<string, SearchedColumn>,
      }
      // Each list is let go before the next column is made.
      for (const { column, isIndexed } of kept)
        result.values[column] = packColumn((values.shift() as ValueList).finish(rows), isIndexed)
      for (const column of searched) result.texts[column] = (texts.shift() as TextList).finish(rows)
      return result
    },
  }
}

type ValueList = ReturnType<typeof createValueList>
type TextList = ReturnType<typeof createTextList>

// In the order of their ids, the last of each.
function remainingRows(ids: Base['ids'], isRecent: Uint8Array, count: number): Uint32Array {
  const compare = (a: number, b: number) => {
    const idA = ids[a] as Id
    const idB = ids[b] as Id
    return idA < idB ? -1 : idA > idB ? 1 : (isRecent[a] as number) - (isRecent[b] as number) || a - b
  }
  const rows = new Uint32Array(count).map((_, row) => row)
  if (rows.some((row) => row > 0 && compare(row - 1, row) > 0)) rows.sort(compare)
  return rows.filter((row, at) => at + 1 === count || ids[row] !== ids[rows[at + 1] as number])
}

function createValueList({ type, isFolded }: CollectionValue) {
  const interner = createInterner()
  let numbers = type === 'text' ? null : new Float64Array(1024)
  let codes = new Uint32Array(type === 'text' ? 1024 : 0)
  const codeOfText = (value: Value | null) => (value === null ? 0 : interner.add(textOf(type, value)))
  return {
    add(row: number, cell: Cell): void {
      const value = valueOf(type, isFolded, cell)
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
    },
    finish(rows: Uint32Array): Ranked {
      if (!numbers) return rankTexts(type, interner.texts(), gather(new Uint32Array(rows.length), codes, rows))
      return rankNumbers(type, gather(new Float64Array(rows.length), numbers, rows))
    },
  }
}

function gather<List extends Uint32Array | Float64Array>(into: List, from: List, rows: Uint32Array): List {
  for (let at = 0; at < rows.length; at += 1) into[at] = from[rows[at] as number] as number
  return into
}

function createTextList() {
  const interner = createInterner()
  let codes = new Uint32Array(1024)
  return {
    add(row: number, cell: Cell): void {
      if (row === codes.length) codes = grown(codes)
      codes[row] = typeof cell === 'string' ? interner.add(foldForSearch(cell)) : 0
    },
    finish: (rows: Uint32Array): SearchedColumn => collectTexts(rows, [{ codes, texts: interner.texts() }]),
  }
}

/** The texts that the rows have, in the order in which they come. Rows beyond the first source are of the second. */
export function collectTexts(
  rows: Uint32Array,
  sources: readonly SearchedColumn[],
  firstRows = Infinity,
): SearchedColumn {
  const interner = createInterner()
  const known = sources.map(({ texts }) => new Uint32Array(textCount(texts) + 1))
  const collected = new Uint32Array(rows.length)
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as number
    const from = row < firstRows ? 0 : 1
    const { codes, texts } = sources[from] as SearchedColumn
    const code = codes[from === 0 ? row : row - firstRows] as number
    const own = known[from] as Uint32Array
    if (code > 0 && own[code] === 0) own[code] = interner.addFrom(texts, code)
    collected[at] = own[code] as number
  }
  const texts = interner.texts()
  return { codes: packCodes(collected, textCount(texts)), texts: sharedTexts(texts) }
}

export function packColumn({ dictionary, codes }: Ranked, isIndexed: boolean): Column {
  const size = dictionarySize(dictionary)
  return { codes: packCodes(codes, size), dictionary, index: isIndexed ? indexRows(codes, size) : null }
}

const packCodes = (codes: Uint32Array, most: number): Codes =>
  shared(most < 2 ** 8 ? new Uint8Array(codes) : most < 2 ** 16 ? new Uint16Array(codes) : codes)

function indexRows(codes: Uint32Array, size: number): Index {
  const starts = new Uint32Array(new SharedArrayBuffer((size + 2) * 4))
  for (const code of codes) starts[code + 1] = (starts[code + 1] as number) + 1
  for (let code = 0; code <= size; code += 1) starts[code + 1] = (starts[code + 1] as number) + (starts[code] as number)
  const next = starts.slice()
  const rows = new Uint32Array(new SharedArrayBuffer(codes.length * 4))
  for (let row = 0; row < codes.length; row += 1) {
    const code = codes[row] as number
    const place = next[code] as number
    rows[place] = row
    next[code] = place + 1
  }
  return { rows, starts }
}

export function packIds(count: number, idOfRow: (row: number) => Id): Base['ids'] {
  const ids = new Float64Array(new SharedArrayBuffer(count * 8))
  for (let row = 0; row < count; row += 1) {
    const id = idOfRow(row)
    if (typeof id === 'bigint') return shared(BigInt64Array.from({ length: count }, (_, at) => BigInt(idOfRow(at))))
    ids[row] = id
  }
  return ids
}

const idAt = (ids: Base['ids'], row: number): Id => idValue(ids[row])

export const idOf = ({ ids }: Base, row: number): Id => idAt(ids, row)

/** -1 if there is none. */
export function rowOf({ ids }: Base, id: Id): number {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ids[middle] as Id) < id) low = middle + 1
    else high = middle
  }
  return low < ids.length && !((ids[low] as Id) > id) ? low : -1
}

/** In bytes. */
export function sizeOfBase(base: Base): number {
  const sizeOf = (part: unknown): number => {
    if (ArrayBuffer.isView(part)) return part.byteLength
    if (typeof part !== 'object' || part === null) return 0
    return Object.values(part).reduce<number>((sum, each) => sum + sizeOf(each), 0)
  }
  return sizeOf(base)
}
