// Random requests for what is in the database: ids, words, filters, pages.
import type { Company } from './company.ts'

export const api = '/api/v1'
export const invoices = `${api}/invoices`
export const perDeepPage = 100
export const firstPage = `${invoices}?per_page=25`

export const below = (most: number) => Math.floor(Math.random() * most)
export const between = (least: number, most: number) => least + below(most - least + 1)
export const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value
export const times = <Value>(count: number, make: (turn: number) => Value) =>
  Array.from({ length: count }, (_, turn) => make(turn))

/** Up to `count` different paths: a repeated one might be answered from memory. */
export function different(count: number, make: () => string): string[] {
  const made = new Set<string>()
  for (let turn = 0; turn < count * 20 && made.size < count; turn += 1) made.add(make())
  return [...made]
}

const statuses = ['new', 'open', 'hold', 'regular', 'void']
const stores = 6

/** Reads columns of about this many invoices, spread over all ids, recent and archived. */
async function spread(queries: Company['queries'], columns: string, about: number) {
  const [range] = await queries.rows('SELECT max(id) FROM invoices')
  const step = Math.max(1, Math.floor(Number(range?.[0]) / about))
  const from = (table: string) =>
    `SELECT ${columns} FROM ${table} WHERE kind = 1 AND status <> 2 AND id % ${step} = ${below(step)}`
  return [...(await queries.rows(from('invoices_archive'))), ...(await queries.rows(from('invoices')))]
}

/** The paths of first pages with random filters; all kinds are equally frequent. */
export async function filteredPaths(company: Company, days: number, count: number): Promise<string[]> {
  const drawn = await someDays(company, days)
  const kinds = [
    () => '',
    () => `&status=${pick(statuses)}`,
    () => `&store_id=${between(1, stores)}`,
    () => `&currency=${pick(['HTG', 'USD'])}`,
    () => `&date_from=${pick(drawn)}`,
  ]
  return times(count, () => firstPage + pick(kinds)())
}

/** Two or three filters at once, nearly never the same twice. */
export const filterCombination = (days: readonly string[]): string => {
  const filters = [
    `status=${pick(statuses)}`,
    `store_id=${between(1, stores)}`,
    `currency=${pick(['HTG', 'USD'])}`,
    `payment_status=${pick(['paid', 'unpaid'])}`,
    `date_from=${pick(days)}`,
    `updated_since=${pick(days)}`,
  ]
  const chosen = filters.toSorted(() => Math.random() - 0.5).slice(0, between(2, 3))
  return `${firstPage}&${chosen.join('&')}&sort=${pick(['date', '-date', 'total', '-total', 'id', '-updated_at'])}`
}

/** The first pages of customers' invoices. A customer with more invoices is drawn more often. */
export async function customerPaths(company: Company, count: number): Promise<string[]> {
  const rows = await spread(company.queries, 'customer_id', count)
  return rows.filter(([id]) => id !== null).map(([id]) => `${firstPage}&customer_id=${id}`)
}

/** Random days between the first and the last invoice. */
export async function someDays({ queries }: Company, count: number): Promise<string[]> {
  const ends = await queries.rows(`SELECT CAST(min(date) AS text) FROM invoices_archive
                                   UNION ALL SELECT CAST(max(date) AS text) FROM invoices`)
  const [firstDay = 0, lastDay = 0] = ends.map(([text]) => Date.parse(String(text).slice(0, 10)) / 86_400_000)
  return times(count, () => new Date(between(firstDay, lastDay) * 86_400_000).toISOString().slice(0, 10))
}

export async function detailPaths(queries: Company['queries'], count: number): Promise<string[]> {
  const rows = await spread(queries, 'id', count)
  return rows.map(([id]) => `${invoices}/${id}`)
}

/** Parts of customer names and document numbers, drawn from invoices; with `hasWhole` also whole numbers. */
export async function searchWords(company: Company, least: number, most: number, hasWhole = false): Promise<string[]> {
  const rows = await spread(company.queries, 'number, customer_name', 1000)
  const words = rows.flatMap(([number, name]) => [
    partOf(pick(String(name).split(/[^\p{L}]+/u)), least, most),
    hasWhole && below(2) === 0 ? String(number) : partOf(String(number), least, most),
  ])
  return words.filter((word) => word.length >= least)
}

function partOf(text: string, least: number, most: number): string {
  const letters = [...text]
  const length = between(least, Math.min(most, Math.max(least, letters.length)))
  const start = below(Math.max(1, letters.length - length + 1))
  return letters.slice(start, start + length).join('')
}

export const searchPath = (word: string) => `${firstPage}&search=${encodeURIComponent(word)}`

export interface Depth {
  /** The last full page, at most page 9,000. */
  readonly deepest: number
  readonly first: () => number
  readonly middle: () => number
  readonly deep: () => number
}

const wanted = 9000

// A range of pages, wide enough that none is requested twice in a row.
const around = (page: number) => between(Math.ceil(page * 0.945), page)

export function depthOf(total: number): Depth {
  const deepest = Math.min(wanted, Math.floor(total / perDeepPage))
  if (deepest < 30) throw new Error(`${total} records have too few pages to compare deep ones with the first.`)
  return {
    deepest,
    first: () => between(1, 10),
    middle: () => around(Math.ceil(deepest / 2)),
    deep: () => around(deepest),
  }
}

export const deepPath = (query: string, page: number, perPage = perDeepPage, list = invoices) =>
  `${list}?per_page=${perPage}&page=${page}${query}`
/** Pages of 91 to 100 records, so that the first ten pages give enough different paths. */
export const aboutDeepPath = (query: string, page: number, list = invoices) =>
  deepPath(query, page, between(91, perDeepPage), list)
/** One of the first pages, of 20 to 25 records. */
export const aboutFirstPath = () => `${invoices}?per_page=${between(20, 25)}&page=${between(1, 35)}`
