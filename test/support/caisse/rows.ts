// Rows of the source contract → rows of Caisse, so that its views give back what the service shows of them, to the last digit. What
// it cannot hold exactly fails here.
import { findRelation } from '../../../src/contract/relations.ts'
import type { Cell, Rows } from '../pos.ts'
import type { Row } from '../fixture.ts'
import { columnName, kindLetters, statusLetters, tableNames } from './columns.ts'

export type CaisseRows = ReadonlyMap<string, readonly Row[]>
// How an amount becomes cents: exact decimals, or the number whose hundredth is the amount.
export type Cents = (amount: number) => Cell

const archived: Readonly<Record<string, string>> = {
  invoices: 'id',
  invoice_lines: 'invoice_id',
  invoice_payments: 'invoice_id',
  quotes: 'id',
  quote_lines: 'quote_id',
}

export function toCaisse(rows: Rows, cents: Cents): CaisseRows {
  for (const name of Object.keys(rows)) findRelation(name)
  return new Map(
    Object.entries(tableNames).map(([relation, table]) => {
      const list = [...(rows[relation] ?? []), ...fromArchive(rows, relation)]
      return [
        table,
        relation === 'product_prices' ? widePrices(list, cents) : list.map((row) => toRow(relation, row, cents)),
      ]
    }),
  )
}

// Caisse has no archive: what the service shows of one stands with all others. An archived document whose id is among the recent
// ones does not exist, nor does what belongs to it, or to none.
function fromArchive(rows: Rows, relation: string): readonly Row[] {
  const parent = archived[relation]
  if (parent === undefined) return []
  const document = relation.startsWith('invoice') ? 'invoices' : 'quotes'
  const idsOf = (name: string) => new Set((rows[name] ?? []).map(({ id }) => id))
  const shown = idsOf(`${document}_archive`).difference(idsOf(document))
  return (rows[`${relation}_archive`] ?? []).filter((row) => shown.has(row[parent] ?? null))
}

function toRow(relation: string, row: Row, cents: Cents): Row {
  const { columns } = findRelation(relation)
  const unknown = Object.keys(row).filter((column) => !(column in columns))
  if (unknown.length > 0) throw new Error(`${relation} has no ${unknown.join(', ')}`)
  const cells = Object.entries(columns).map(([column, type]): [string, Cell] => {
    const name = columnName(relation, column)
    const cell = row[column] ?? null
    if (name === 'contact') return [name, contact(row)]
    if (cell === null) return [name, null]
    if (column === 'status') return [name, letter(statusLetters, Number(cell))]
    if (column === 'kind') return [name, letter(kindLetters[relation] ?? '', Number(cell))]
    if (column === 'active') return [name, Number(cell) === 1 ? 0 : 1]
    if (type === 'bool') return [name, Number(cell) === 1 ? 'O' : 'N']
    return [name, name.endsWith('_ct') ? cents(Number(cell)) : cell]
  })
  return Object.fromEntries(cells)
}

// An unknown code is stored as an unknown letter, which the views turn back into the code.
function letter(letters: string, code: number): string {
  const known = letters[code]?.trim()
  const odd = String.fromCodePoint(code)
  if (!known && letters.includes(odd)) throw new Error(`Caisse has no letter for ${code}`)
  return known || odd
}

// 'Last name, First name'; one of them alone can be told by the comma.
function contact({ contact_first_name: first = null, contact_last_name: last = null }: Row): Cell {
  if (first === null) return last
  if (last === '' || String(last).includes(', ')) throw new Error(`Caisse cannot hold the contact ${last}`)
  return `${last ?? ''}, ${first}`
}

const priceLists = 9

function widePrices(list: readonly Row[], cents: Cents): Row[] {
  const products = new Map<Cell, Record<string, Cell>>()
  for (const { product_id = null, price_list_id, price = null, second_unit_price = null } of list) {
    const at = Number(price_list_id)
    if (!(at >= 1 && at <= priceLists)) throw new Error(`Caisse has no price list ${at}`)
    const row = products.get(product_id) ?? { article: product_id }
    for (const [name, cell] of [
      ['vente', price],
      ['vente2', second_unit_price],
    ] as const)
      row[`${name}_${at}_ct`] = cell === null ? null : cents(Number(cell))
    products.set(product_id, row)
  }
  return [...products.values()]
}

// 1e-7 → 1e-5, 0.1 → 0.1e2.
function shifted(amount: number): string {
  const [digits, exponent = '0'] = String(amount).split('e')
  return `${digits}e${Number(exponent) + 2}`
}

export const decimalCents: Cents = shifted

export const floatingCents: Cents = (amount) => {
  const near = Number(shifted(amount))
  const step = Math.abs(near) * 2 ** -52
  const exact = [near, near + step, near - step].find((each) => each / 100 === amount)
  if (exact === undefined) throw new Error(`no number of cents is ${amount}`)
  return exact
}
