// Deep pages of 100 against the first ones, one caller, idle and while the POS writes. Deep is the last page (at most page
// 9,000) or the one halfway, whichever is slower: the last page could be fast because it is read backwards.
import type { Bench, Target } from '../bench.ts'
import { resources } from '../../src/catalogue/resources/index.ts'
import {
  aboutDeepPath,
  api,
  deepPath,
  depthOf,
  different,
  firstPage,
  invoices,
  times as manyTimes,
  type Depth,
} from '../samples.ts'
import type { KeyName } from '../service.ts'
import { median } from '../statistics.ts'
import { both, round, type Measured, type Row } from './row.ts'

interface Line {
  readonly name: string
  readonly query: string
  readonly list?: string
  readonly key?: KeyName
  readonly hasPeer?: boolean
}

// Resources with fewer than thirty pages of 100.
const small = new Set(['vendors', 'stores', 'departments', 'sub-departments', 'price-lists', 'customer-types'])

const sorted = (sort: string): Line => ({ name: `sort=${sort}`, query: `&sort=${sort}`, hasPeer: sort === 'id' })
const filtered = (filter: string): Line => ({ name: filter.replace('&', ', '), query: `&${filter}` })

// Every sort of every other resource that has enough records at this scale.
const others: Line[] = resources
  .filter(({ name }) => name !== 'invoices' && !small.has(name))
  .flatMap(({ name, sort }) =>
    sort.fields.map((field) => ({ name: `${name}, sort=${field}`, query: `&sort=${field}`, list: `${api}/${name}` })),
  )

// An early day, so that deep pages exist.
const dateFrom = 'date_from=2023-11-01'
const lines: Line[] = [
  { name: 'default sort', query: '', hasPeer: true },
  ...['id', '-id', 'updated_at', '-updated_at', 'total', '-total'].map(sorted),
  ...['status=regular', 'store_id=1', 'currency=HTG', dateFrom].map(filtered),
  { name: 'key of two stores', query: '', key: 'twoStores' },
  ...['id', 'total'].map((sort) => ({ ...filtered(`${dateFrom}&sort=${sort}`), name: `date_from, sort=${sort}` })),
]
const target = both(1.5)

const row = (line: Line, isWriting: boolean, isLong = false): Row => ({
  name: `deep: ${line.name.replace(dateFrom, 'date_from')}${isWriting ? ', writing' : ''}`,
  unit: '×',
  target,
  isWriting,
  isLong,
  async measure(bench) {
    const { query, key, hasPeer, list = invoices } = line
    const depth = depthOf(await bench.service.total(deepPath(query, 1, 1, list), key))
    const { value, raw } = await compare(bench, await bench.target(key), query, depth, list)
    const measured = { value, raw, deepestPage: depth.deepest }
    // The peer takes most of the time, so few lines include it, and a quick run only one.
    if (!hasPeer || isWriting || (bench.options.isQuick && query !== '')) return measured
    return { ...measured, peer: await compare(bench, await bench.peer(), query, depth) }
  },
})

// Paths of each kind: first, halfway, deep.
const most = 90
const warmUp = 5

async function compare(bench: Bench, target: Target, query: string, depth: Depth, list = invoices): Promise<Measured> {
  const kinds = [depth.first, depth.middle, depth.deep]
  const asked = kinds.map((page) => different(most, () => aboutDeepPath(query, page(), list)))
  const paths = manyTimes(most, (turn) => asked.map((each) => each[turn]))
    .flat()
    .filter((path) => path !== undefined)
  await bench.run({ ...target, paths: [firstPage], connections: 1, seconds: 0, atLeast: warmUp })
  const { seconds } = bench.options
  const { times } = await bench.run({ ...target, paths, isInOrder: true, connections: 1, seconds, atLeast: 9 })
  const medianOf = (kind: number) => median(times.filter((_, turn) => turn % kinds.length === kind))
  const [first, middle, deep] = [medianOf(0), medianOf(1), medianOf(2)]
  return {
    value: Math.max(middle, deep) / first,
    raw: {
      'first, ms': round(first),
      'halfway, ms': round(middle),
      'deepest, ms': round(deep),
      requests: times.length,
    },
  }
}

export const depthRows: Row[] = [
  ...lines.map((line) => row(line, false)),
  ...others.map((line) => row(line, false, true)),
  ...lines.map((line) => row(line, true)),
]
