// The peer's queries for invoices, as written by hand: a union of recent and archived ones, `count(*)` for the total,
// `OFFSET` for the page.
import type { Kysely } from 'kysely'
import type { Database } from './database.ts'

export interface Asked {
  readonly page?: number
  readonly per_page?: number
  readonly sort?: string
  readonly status?: string
  readonly store_id?: number
  readonly currency?: string
  readonly date_from?: string
  readonly customer_id?: number
  readonly updated_since?: string
  readonly search?: string
}

const statuses = ['new', 'open', 'hold', 'regular', 'void']
const hold = 2
const voided = 4
const invoice = 1

const columns = [
  ...([
    'id',
    'number',
    'store_id',
    'date',
    'customer_id',
    'customer_name',
    'status',
    'payment_type',
    'currency',
  ] as const),
  ...(['exchange_rate', 'quantity_total', 'items_total', 'tax', 'discount_percent', 'discount_amount'] as const),
  ...(['shipping', 'total', 'notes', 'created_at', 'updated_at', 'paid', 'amount_paid', 'deposit'] as const),
  ...(['cost_total', 'po_number', 'quote_number', 'sales_order_number'] as const),
] as const

const union = (database: Kysely<Database>) =>
  database
    .selectFrom('invoices')
    .selectAll()
    .unionAll(
      database
        .selectFrom('invoices_archive as archived')
        .selectAll()
        .where((is) =>
          is.not(is.exists(is.selectFrom('invoices').select('id').whereRef('invoices.id', '=', 'archived.id'))),
        ),
    )
    .as('all_invoices')

function matching(database: Kysely<Database>, asked: Asked) {
  const { status, store_id, currency, date_from, customer_id, updated_since, search } = asked
  let query = database.selectFrom(union(database)).where('kind', '=', invoice)
  query =
    status === undefined
      ? query.where('status', '<>', hold)
      : query.where(
          'status',
          'in',
          status.split(',').map((label) => statuses.indexOf(label)),
        )
  if (store_id !== undefined) query = query.where('store_id', '=', store_id)
  if (currency !== undefined) query = query.where('currency', '=', currency)
  if (date_from !== undefined) query = query.where('date', '>=', date_from)
  if (customer_id !== undefined) query = query.where('customer_id', '=', customer_id)
  if (updated_since !== undefined) query = query.where('updated_at', '>=', updated_since)
  if (search !== undefined)
    query = query.where((is) =>
      is.or(['number', 'customer_name'].map((name) => is(name as 'number', 'ilike', `%${search}%`))),
    )
  return query
}

export async function listInvoices(database: Kysely<Database>, asked: Asked) {
  const { page = 1, per_page = 25, sort = '-date' } = asked
  const direction = sort.startsWith('-') ? 'desc' : 'asc'
  const field = sort.replace('-', '') as 'id' | 'date' | 'updated_at'
  const query = matching(database, asked)
  const { total } = await query.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await query
    .select(columns)
    .orderBy(field, direction)
    .$if(field !== 'id', (ordered) => ordered.orderBy('id', direction))
    .limit(per_page)
    .offset((page - 1) * per_page)
    .execute()
  return { data: rows.map(show), meta: { page, per_page, total, total_pages: Math.ceil(total / per_page) } }
}

const voidable = ['items_total', 'tax', 'discount_amount', 'shipping', 'total', 'amount_paid', 'deposit'] as const

function show({ paid, ...row }: Pick<Database['invoices'], (typeof columns)[number]>) {
  const shown = { ...row, status: statuses[row.status], payment_status: paid ? 'paid' : 'unpaid' }
  if (row.status === voided) for (const name of voidable) shown[name] = 0
  return shown
}

export async function findInvoice(database: Kysely<Database>, id: number) {
  for (const archive of ['', '_archive'] as const) {
    const row = await database
      .selectFrom(`invoices${archive}`)
      .select(columns)
      .where('id', '=', id)
      .where('kind', '=', invoice)
      .executeTakeFirst()
    if (!row) continue
    const lines = await database
      .selectFrom(`invoice_lines${archive}`)
      .selectAll()
      .where('invoice_id', '=', id)
      .orderBy('id')
      .execute()
    const payments = await database
      .selectFrom(`invoice_payments${archive}`)
      .selectAll()
      .where('invoice_id', '=', id)
      .orderBy('date')
      .orderBy('id')
      .execute()
    return { data: { ...show(row), lines, payments } }
  }
  return undefined
}
