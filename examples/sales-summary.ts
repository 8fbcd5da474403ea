// Sales of the last 30 days there are, by day and by store, as charts in the terminal: to be read and changed like a notebook.
//
//   node examples/sales-summary.ts
//
// Node.js 24 runs it as it stands. VITRINE_URL, VITRINE_CLIENT_ID and VITRINE_CLIENT_SECRET say where and who; the key needs invoices:read, credit-memos:read and
// reference:read. Charts add up both currencies in gourdes, at the rate that each document was made at; the totals below do not.
import { createClient, type Client } from '../client/index.ts'

const width = Math.max(30, Number(process.env['COLUMNS']) || process.stdout.columns || 80)

// 1. The sales: final invoices less final credit memos, each with its day, its store and its amount.
async function lastDays(client: Client): Promise<string[]> {
  const newest = (await client.list('invoices', { status: 'regular', sort: '-date', per_page: 1 })).data[0]?.date
  if (!newest) throw new Error('There are no final invoices yet.')
  const dayBefore = (_: unknown, back: number) => new Date(Date.parse(newest.slice(0, 10)) - back * 86_400_000)
  return Array.from({ length: 30 }, dayBefore)
    .map((day) => day.toISOString().slice(0, 10))
    .toReversed()
}

interface Sale {
  readonly day: string
  readonly store: string
  readonly currency: string
  readonly total: number
  readonly HTG: number
}

async function readSales(client: Client, days: readonly string[]): Promise<Sale[]> {
  const [first = '', last = ''] = [days[0], days.at(-1)]
  const sales: Sale[] = []
  for (const name of ['invoices', 'credit-memos'] as const)
    for await (const each of client.records(name, { status: 'regular', date_from: first, date_to: last, sort: 'id' })) {
      const total = name === 'invoices' ? (each.total ?? 0) : -(each.total ?? 0)
      const HTG = each.currency === 'USD' ? total * (each.exchange_rate ?? 0) : total
      const [day, store, currency] = [each.date?.slice(0, 10) ?? '', `${each.store_id}`, each.currency ?? '']
      sales.push({ day, store, currency, total, HTG })
    }
  return sales
}

// 2. Sums, by whatever a sale has.
function sumBy(sales: readonly Sale[], key: 'day' | 'store' | 'currency', amount: 'total' | 'HTG'): [string, number][] {
  const sums = new Map<string, number>()
  for (const sale of sales) sums.set(sale[key], (sums.get(sale[key]) ?? 0) + sale[amount])
  return [...sums].toSorted(([one], [other]) => one.localeCompare(other))
}

// 3. A chart: a label, a bar and an amount a line, none wider than the terminal.
function written(amount: number, decimals = 0): string {
  return amount.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}

function chart(title: string, rows: readonly (readonly [string, number])[]): void {
  const labelWidth = Math.min(Math.max(...rows.map(([label]) => label.length)), Math.floor(width / 3))
  const amountWidth = Math.max(...rows.map(([, amount]) => written(amount).length))
  const barWidth = Math.max(1, width - labelWidth - amountWidth - 2)
  const most = Math.max(1, ...rows.map(([, amount]) => amount))
  console.log(`\n${title}`)
  for (const [label, amount] of rows) {
    const shown = label.length > labelWidth ? `${label.slice(0, labelWidth - 1)}…` : label
    const bar = barOf((Math.max(0, amount) / most) * barWidth)
    console.log(`${shown.padEnd(labelWidth)} ${bar.padEnd(barWidth)} ${written(amount).padStart(amountWidth)}`)
  }
}

// To an eighth of a character.
function barOf(length: number): string {
  const eighths = Math.round(length * 8)
  return '█'.repeat(Math.floor(eighths / 8)) + ' ▏▎▍▌▋▊▉'.charAt(eighths % 8).trim()
}

async function main(): Promise<void> {
  const { VITRINE_URL: url, VITRINE_CLIENT_ID: clientId, VITRINE_CLIENT_SECRET: clientSecret } = process.env
  if (!url || !clientId || !clientSecret)
    throw new Error('Set VITRINE_URL, VITRINE_CLIENT_ID and VITRINE_CLIENT_SECRET.')
  const client = createClient({ url, clientId, clientSecret })
  const days = await lastDays(client)
  const sales = await readSales(client, days)
  const byDay = new Map(sumBy(sales, 'day', 'HTG'))
  const everyDay = days.map((day) => [day, byDay.get(day) ?? 0] as const)
  chart('Sales by day, in HTG', everyDay)

  const names = new Map<string, string | null>()
  for await (const { id, name } of client.records('stores')) names.set(`${id}`, name)
  const byStore = sumBy(sales, 'store', 'HTG').toSorted(([, one], [, other]) => other - one)
  const named = byStore.map(([store, amount]) => [names.get(store) ?? `store ${store}`, amount] as const)
  chart('Sales by store, in HTG', named)

  console.log(`\n${sales.length} documents`)
  for (const [currency, total] of sumBy(sales, 'currency', 'total')) console.log(`${currency} ${written(total, 2)}`)
}

try {
  await main()
} catch (error) {
  process.exitCode = 1
  console.error((error as Error).message)
}
