// Random rows of a collection, and lists of them by a plain loop over objects that shares nothing with src/finder.
import type { Collection } from '../../../src/catalogue/collections.ts'
import type { Condition } from '../../../src/catalogue/condition.ts'
import type { Cell, Id, Row } from '../../../src/sql/statement.ts'
import type { Order } from '../../../src/query/plan.ts'
import type { Random } from '../../support/random.ts'

const value = (column: string, type: Collection['values'][number]['type'], isIndexed: boolean, isFolded = false) => ({
  column,
  type,
  isIndexed,
  isFolded,
  isZeroWhenVoid: false,
})

export const things: Collection = {
  name: 'things',
  relations: [],
  values: [
    value('kind', 'int', false),
    value('paid', 'bool', false),
    value('store_id', 'int', true),
    value('to_store_id', 'int', true),
    value('currency', 'text', false),
    value('date', 'time', true),
    value('total', 'num', true),
    value('name', 'text', true, true),
  ],
  texts: ['name', 'note'],
}

const names = ['id', ...things.values.map(({ column }) => column), 'name_text', 'note']
const types = new Map(things.values.map(({ column, type }) => [column, type]))
const cellOf = (row: Row, name: string) => row[names.indexOf(name)] ?? null
const searchedCell = (row: Row, name: string) => cellOf(row, name === 'name' ? 'name_text' : name)

const letters = [
  'a',
  'A',
  'b',
  'k',
  'K',
  '\u212a',
  's',
  'S',
  'ſ',
  'ß',
  'É',
  'é',
  'e',
  'İ',
  'i',
  'ı',
  'Σ',
  'ς',
  'σ',
  '0',
  ' ',
  '%',
]
const rareLetters = [...letters, '\u{10400}', '\u{10428}', '\u{ffff}', '\u{1f600}', '\u1e9e', '~', '\0']

export function textFrom(random: Random, most = 6): string {
  const from = random.chance(0.5) ? rareLetters : letters
  return Array.from({ length: random.upTo(most + 1) }, () => random.of(from)).join('')
}

/** The values of a run: a column of numbers is stored differently from one that also has texts. */
export interface Habits {
  readonly ids: readonly Id[]
  readonly cells: ReadonlyMap<string, () => Cell>
}

export function habitsFrom(random: Random, canBeOdd = true): Habits {
  const spread = random.of([3, 40, 400])
  const hasBigIds = random.chance(0.3)
  const ids = Array.from({ length: spread }, (_, n): Id =>
    hasBigIds && n % 3 === 0 ? 2n ** 53n + BigInt(n) : n * 2 - 10,
  )
  const two = (most: number) => String(random.upTo(most)).padStart(2, '0')
  const time = () => `20${two(3)}-${two(14)}-${two(4)}T0${random.upTo(10)}:00:0${random.upTo(3)}`
  const oddTime = () => random.of(['2001-01-01', '2001-01-01T00:00', 'soon', '2001-01-01T00:00:00Z', '~', '20\u{ffff}'])
  const decimal = () =>
    `${random.of(['', '-'])}${random.of(['0', '1', '00', '12'])}.${random.of(['', '5', '50', '25', '125'])}0`
  const longDecimal = () =>
    `${random.of(['', '-'])}${random.of(['1', '12345678901234567'])}.${random.of(['50000000000000000001', '5', '50000000000000000001000'])}`
  const integers = random.of([3, 400])
  const sometimes = (odd: boolean, one: () => Cell, other: () => Cell) => () =>
    odd && random.chance(0.2) ? other() : one()
  const isOdd = () => canBeOdd && random.chance(0.4)
  const cells = new Map<string, () => Cell>([
    ['kind', () => random.upTo(4) - 1],
    ['paid', () => random.of([true, false, 0, 1, 2, 1n])],
    [
      'store_id',
      sometimes(
        isOdd(),
        () => random.upTo(integers) - 1,
        () => 2n ** 60n + BigInt(random.upTo(3)),
      ),
    ],
    ['to_store_id', () => random.upTo(integers)],
    ['currency', () => random.of(['USD', 'usd', 'HTG', '', 'É', '\0', 'US'])],
    ['date', sometimes(isOdd(), time, oddTime)],
    ['total', sometimes(isOdd(), random.chance(0.5) ? decimal : () => random.upTo(9) / 4 - 1, longDecimal)],
    ['name', () => textFrom(random)],
    [
      'name_text',
      sometimes(
        isOdd(),
        () => textFrom(random),
        () => 7,
      ),
    ],
    ['note', () => textFrom(random, 3)],
  ])
  return { ids, cells }
}

export const rowFrom = (random: Random, { cells }: Habits, id: Id): Row => [
  id,
  ...names.slice(1).map((name) => (random.chance(0.1) ? null : (cells.get(name)?.() ?? null))),
]

export function conditionFrom(random: Random, habits: Habits): Condition {
  // A plan names only numbers that a double holds exactly.
  const someOf = (column: string) => Number(BigInt.asIntN(50, BigInt((habits.cells.get(column)?.() ?? 0) as Id)))
  const ids = habits.ids.filter((id) => typeof id === 'number')
  const time = () => random.of([() => habits.cells.get('date')?.() as string, () => '2001-05-02T23:59:59'])()
  return random.of<() => Condition>([
    () => ({ is: 'equal', column: 'store_id', value: someOf('store_id') }),
    () => ({ is: 'equal', column: 'kind', value: random.upTo(4) }),
    () => ({ is: 'equal', column: 'currency', value: random.of(['USD', 'É', 'none']) }),
    () => ({ is: 'equal', column: 'id', value: random.of([...ids, 1]) }),
    () => ({ is: 'zero-or-empty', column: random.of(['kind', 'store_id']) }),
    () => ({ is: 'one-of', column: random.of(['kind', 'store_id']), codes: [0, 2, 5] }),
    () => ({ is: 'one-of', column: 'paid', codes: random.of([[1], [0], [2], [0, 1], []]) }),
    () => ({ is: 'not', column: random.of(['kind', 'to_store_id']), code: random.upTo(4) }),
    () => ({ is: 'from', column: 'date', time: time() }),
    () => ({ is: 'to', column: 'date', time: time() }),
    () => ({ is: 'contains', columns: random.of([['name', 'note'], ['note']]), text: textFrom(random, 2) }),
    () => ({ is: 'in-stores', columns: ['store_id', 'to_store_id'], stores: random.of([[], [1], [0, 2]]) }),
    () => ({ is: 'in-stores', columns: ['id'], stores: ids.slice(0, 5) }),
  ])()
}

export function orderFrom(random: Random): Order[] {
  const fields = ['name', 'date', 'total', 'kind', 'store_id'].filter(() => random.chance(0.3))
  return [...fields, 'id'].map((field) => ({ field, descending: random.chance(0.5) }))
}

export function plainList(rows: readonly Row[], conditions: readonly Condition[], order: readonly Order[]): Id[] {
  return rows
    .filter((row) => conditions.every((condition) => meets(row, condition)))
    .toSorted((a, b) => {
      for (const { field, descending } of order) {
        const difference = compareCells(field, cellOf(a, field), cellOf(b, field))
        if (difference !== 0) return descending ? -difference : difference
      }
      return 0
    })
    .map((row) => row[0] as Id)
}

function meets(row: Row, condition: Condition): boolean {
  const equals = (name: string, wanted: Cell) =>
    cellOf(row, name) !== null && compareCells(name, cellOf(row, name), wanted) === 0
  switch (condition.is) {
    case 'equal':
      return equals(condition.column, condition.value)
    case 'zero-or-empty':
      return cellOf(row, condition.column) === null || equals(condition.column, 0)
    case 'one-of':
      return condition.codes.some((code) => equals(condition.column, condition.column === 'paid' ? code === 1 : code))
    case 'not':
      return !equals(condition.column, condition.code)
    case 'from':
      return cellOf(row, condition.column) !== null && compareCells('date', cellOf(row, 'date'), condition.time) >= 0
    case 'to':
      return cellOf(row, condition.column) !== null && compareCells('date', cellOf(row, 'date'), condition.time) <= 0
    case 'contains': {
      const pattern = new RegExp(RegExp.escape(condition.text), 'iu')
      return condition.columns.some((name) => {
        const text = searchedCell(row, name)
        return typeof text === 'string' && pattern.test(text.split('\0')[0] ?? '')
      })
    }
    case 'in-stores':
      return condition.columns.some((name) => condition.stores.some((store) => equals(name, store)))
  }
}

function compareCells(name: string, a: Cell, b: Cell): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  if (name === 'name') return compareNoCase(Buffer.from(a as string), Buffer.from(b as string))
  const type = types.get(name)
  if (type === 'text' || type === 'time') return Buffer.compare(Buffer.from(a as string), Buffer.from(b as string))
  // Most are numbers; only texts and large integers need the slow way.
  const [x, y] = typeof a === 'number' && typeof b === 'number' ? [a, b] : [scaled(a), scaled(b)]
  return x < y ? -1 : Number(x > y)
}

function scaled(cell: Cell): bigint {
  const [, sign, whole = '', fraction = ''] =
    /^(-?)(\d+)\.?(\d*)$/.exec(String(Number(cell) === cell || typeof cell !== 'boolean' ? cell : Number(cell))) ?? []
  const size = BigInt(whole + fraction.padEnd(30, '0'))
  return sign === '-' ? -size : size
}

const lower = (byte: number) => (byte >= 65 && byte <= 90 ? byte + 32 : byte)

// What SQLite does.
function compareNoCase(a: Buffer, b: Buffer): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at += 1) {
    const [x, y] = [lower(a[at] as number), lower(b[at] as number)]
    if (x !== y) return x - y
    if (x === 0) break
  }
  return a.length - b.length
}
