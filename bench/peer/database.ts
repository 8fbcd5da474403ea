// The peer's tables, as types for Kysely, and its connection: node:sqlite behind Kysely's dialect for better-sqlite3, or a
// pool of `pg`.
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import { Pool, types } from 'pg'
import { openSqlite } from '../../src/platform/sqlite.ts'

interface Invoices {
  id: number
  kind: number
  number: string
  store_id: number
  date: string
  customer_id: number
  customer_name: string
  status: number
  payment_type: string
  currency: string
  exchange_rate: number
  quantity_total: number
  items_total: number
  tax: number
  discount_percent: number
  discount_amount: number
  shipping: number
  total: number
  notes: string | null
  created_at: string
  updated_at: string
  paid: number | boolean
  amount_paid: number
  deposit: number
  cost_total: number
  po_number: string | null
  quote_number: string | null
  sales_order_number: string | null
}

interface Lines {
  id: number
  invoice_id: number
  product_id: number | null
  name: string
  description: string
  kind: number
  quantity: number
  unit: string
  unit_price: number
  base_quantity: number
  base_unit_price: number
  cost: number
}

interface Payments {
  id: number
  invoice_id: number
  date: string
  cash: number
  card: number
  cheque: number
  cheque_number: string | null
  account: number
  deposit: number
  currency: string
  exchange_rate: number
}

export interface Database {
  invoices: Invoices
  invoices_archive: Invoices
  invoice_lines: Lines
  invoice_lines_archive: Lines
  invoice_payments: Payments
  invoice_payments_archive: Payments
}

export function openDatabase(url: string): Kysely<Database> {
  if (!url.startsWith('sqlite:')) {
    // bigint and numeric become numbers, timestamps become texts, as they are shown.
    for (const type of [20, 1700]) types.setTypeParser(type, Number)
    types.setTypeParser(1114, (text) => text.slice(0, 19).replace(' ', 'T'))
    return new Kysely<Database>({
      dialect: new PostgresDialect({ pool: new Pool({ connectionString: url, max: 10 }) }),
    })
  }
  const database = openSqlite(url.slice('sqlite:'.length), { readOnly: true, lockTimeoutMs: 10_000 })
  type Parameters = readonly (string | number | null)[]
  return new Kysely<Database>({
    dialect: new SqliteDialect({
      database: {
        close: () => database.close(),
        prepare(text) {
          const statement = database.prepare(text)
          return {
            reader: true,
            all: (parameters) => statement.all(...(parameters as Parameters)),
            run: (parameters) => statement.run(...(parameters as Parameters)),
            iterate: (parameters) => statement.iterate(...(parameters as Parameters)),
          }
        },
      },
    }),
  })
}
