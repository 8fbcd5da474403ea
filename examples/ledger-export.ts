// Keeps the journal of a ledger exact: what was invoiced, credited and received, as entries that balance. Each run prints what is
// new as CSV. A document that was changed, voided or deleted after it was booked is reversed, and booked again as it is now.
//
//   node examples/ledger-export.ts ledger.db > journal.csv      # what is new since the last export
//   node examples/ledger-export.ts ledger.db 7 > journal.csv    # export 7 once more
//
// Node.js 24 runs it as it stands. VITRINE_URL, VITRINE_CLIENT_ID and VITRINE_CLIENT_SECRET say where and who; the key needs
// invoices:read, credit-memos:read and payments:read. Keep `ledger.db`: it holds all that was booked, and the cursor of the feed.
import { DatabaseSync } from 'node:sqlite'
import { createClient, type Change, type Client } from '../client/index.ts'

// The first day to book, and the numbers of the accounts: your ledger has others.
const firstDay = '2026-01-01'
const received = { cash: 1000, card: 1010, cheque: 1020, other: 1090 }
const accounts = { ...received, customers: 1100, tax: 2200, sales: 4000, shipping: 4100 }

type Booked = 'invoices' | 'credit-memos' | 'payments'
// Day, document, customer, account, currency, exchange rate, and an amount in whole cents: a debit, or below zero a credit.
type Line = readonly [string, string | null, string | null, number, string | null, number | null, number]

const cents = (amount: number | null) => Math.round((amount ?? 0) * 100)
// A spreadsheet would run a name that begins like a formula: an apostrophe keeps it a text. (No number here is below zero.)
const asText = (value: string | number | null) => String(value ?? '').replace(/^[=+\-@\t\r]/, "'$&")
const cell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

// The lines of a document as it is now. It has none unless it is final (`regular`).
function linesOf(change: Change<Booked>): Line[] {
  if (change.change === 'gone') return []
  const { status, date, number, customer_name, currency, exchange_rate } = change.record
  if (status !== 'regular' || date === null || date < firstDay) return []
  const amounts = amountsOf(change)
  return Object.entries(accounts).flatMap(([name, account]): Line[] => {
    const amount = amounts[name as keyof typeof accounts] ?? 0
    return amount ? [[date.slice(0, 10), number, customer_name, account, currency, exchange_rate, amount]] : []
  })
}

function amountsOf(change: Change<Booked> & { change: 'record' }): Partial<Record<keyof typeof accounts, number>> {
  if (change.resource === 'payments') {
    const [total, cash] = [cents(change.record.amount_received), cents(change.record.cash)]
    const [card, cheque] = [cents(change.record.card), cents(change.record.cheque)]
    return { cash, card, cheque, other: total - cash - card - cheque, customers: -total }
  }
  // A credit memo is an invoice the other way round. What is neither tax nor shipping was sold.
  const sign = change.resource === 'invoices' ? 1 : -1
  const [total, tax] = [cents(change.record.total) * sign, cents(change.record.tax) * sign]
  const shipping = cents(change.record.shipping) * sign
  return { customers: total, tax: -tax, sales: tax + shipping - total, shipping: -shipping }
}

// In one transaction: either everything new is booked and the cursor moves on, or nothing. Returns the number of the export.
async function bookNews(ledger: DatabaseSync, client: Client): Promise<number> {
  ledger.exec(`BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS feed (id INTEGER PRIMARY KEY, cursor TEXT);
    CREATE TABLE IF NOT EXISTS documents (name TEXT PRIMARY KEY, lines TEXT);
    CREATE TABLE IF NOT EXISTS journal (export, date, document, customer, account, currency, exchange_rate, amount)`)
  const { cursor, number } = ledger
    .prepare('SELECT MAX(cursor) AS cursor, (SELECT COALESCE(MAX(export), 0) + 1 FROM journal) AS number FROM feed')
    .get() as { cursor: string | null; number: number }
  const find = ledger.prepare('SELECT lines FROM documents WHERE name = ?')
  const store = ledger.prepare('REPLACE INTO documents VALUES (?, ?)')
  const insert = ledger.prepare('INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const book = (name: string, lines: readonly Line[]) => {
    const before = String(find.get(name)?.['lines'] ?? '[]')
    if (before === JSON.stringify(lines)) return
    for (const line of JSON.parse(before) as Line[]) insert.run(number, ...line.with(6, -line[6]))
    for (const line of lines) insert.run(number, ...line)
    store.run(name, JSON.stringify(lines))
  }
  const all = ledger.prepare('SELECT name FROM documents').all()
  // Where every document comes again, those that are booked and do not come are gone.
  let missing = new Set<string>()
  for await (const part of client.follow<Booked>({ cursor, beginAgain: true })) {
    if (part.isBeginning) missing = new Set(all.map(({ name }) => String(name)))
    for (const change of part.changes) {
      const name = `${change.resource}/${change.id}`
      missing.delete(name)
      book(name, linesOf(change))
    }
    ledger.prepare('REPLACE INTO feed VALUES (1, ?)').run(part.cursor)
  }
  for (const name of missing) book(name, [])
  ledger.exec('COMMIT')
  return number
}

async function main(path: string | undefined, earlier: string | undefined): Promise<void> {
  const { VITRINE_URL: url, VITRINE_CLIENT_ID: clientId, VITRINE_CLIENT_SECRET: clientSecret } = process.env
  if (!url || !clientId || !clientSecret)
    throw new Error('Set VITRINE_URL, VITRINE_CLIENT_ID and VITRINE_CLIENT_SECRET.')
  if (!path) throw new Error('Name the file of the ledger: node examples/ledger-export.ts ledger.db')
  const ledger = new DatabaseSync(path)
  const scope = ['invoices:read', 'credit-memos:read', 'payments:read']
  const number = earlier ?? (await bookNews(ledger, createClient({ url, clientId, clientSecret, scope })))
  const rows = ledger.prepare(`SELECT export, date, document, customer, account, currency, exchange_rate,
    printf('%.2f', MAX(0, amount) / 100.0) AS debit, printf('%.2f', MAX(0, -amount) / 100.0) AS credit
    FROM journal WHERE export = ? ORDER BY rowid`)
  console.log('export,date,document,customer,account,currency,exchange_rate,debit,credit')
  for (const row of rows.all(Number(number)) as Record<string, string | number | null>[])
    console.log(Object.values(row).map(asText).map(cell).join())
}

try {
  await main(process.argv[2], process.argv[3])
} catch (error) {
  // A partial journal must not be booked: check the exit status.
  process.exitCode = 1
  console.error((error as Error).message)
}
