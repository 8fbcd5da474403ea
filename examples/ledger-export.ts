// The nightly export for a ledger: what was invoiced, credited and received on one day, as a journal in CSV that balances.
//
//   node examples/ledger-export.ts > journal.csv                  # yesterday, by the company's clock
//   node examples/ledger-export.ts 2026-09-22 > journal.csv
//
// Node.js 24 runs it as it stands. VITRINE_URL, VITRINE_CLIENT_ID and VITRINE_CLIENT_SECRET say where and who; the key needs
// invoices:read, credit-memos:read and payments:read. Each document is one entry against the customer's account, once it is final
// (`regular`). One that is void has no amounts any more and is left out; if it was booked on an earlier night, reverse it in the
// ledger: its number is told on stderr.
import { createClient, type Client, type InvoiceSummary, type PaymentSummary } from '../client/index.ts'

// The numbers of the accounts: your ledger has others.
const accounts = {
  cash: 1000,
  card: 1010,
  cheque: 1020,
  other: 1090,
  customers: 1100,
  tax: 2200,
  sales: 4000,
  shipping: 4100,
}
type Lines = Partial<Record<keyof typeof accounts, bigint>>

// Amounts are counted in whole cents, never in fractions that a computer rounds.
const cents = (amount: number | null) => BigInt((amount ?? 0).toFixed(2).replace('.', ''))
const written = (amount: bigint) => `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`
// A spreadsheet would run a name that begins like a formula: an apostrophe keeps it a text. (No number here is below zero.)
const asText = (value: string | number | null) => String(value ?? '').replace(/^[=+\-@\t\r]/, "'$&")
const cell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

async function exportDay(client: Client, day: string): Promise<void> {
  // Of each currency: dollars are never added to gourdes.
  const sums = new Map<string, { debit: bigint; credit: bigint; documents: number }>()
  console.log('date,document,customer,account,currency,exchange_rate,debit,credit')

  // One document. What is positive is a debit, what is negative a credit, and all of it together is nothing.
  function book(document: InvoiceSummary | PaymentSummary, lines: Lines) {
    const { number, customer_name, currency, exchange_rate } = document
    if (Object.values(lines).reduce((sum, amount) => sum + amount, 0n) !== 0n)
      throw new Error(`${number} does not balance.`)
    const sum = sums.get(currency ?? '') ?? { debit: 0n, credit: 0n, documents: 0 }
    sums.set(currency ?? '', sum)
    sum.documents += 1
    for (const [name, account] of Object.entries(accounts)) {
      const amount = lines[name as keyof Lines] ?? 0n
      if (amount === 0n) continue
      const [debit, credit] = amount > 0n ? [amount, 0n] : [0n, -amount]
      sum.debit += debit
      sum.credit += credit
      const words = [number, customer_name, account, currency, exchange_rate].map(asText)
      console.log([day, ...words.map(cell), written(debit), written(credit)].join(','))
    }
  }

  // What is not final is passed over here: a filter by status would move documents from page to page when one is made void.
  const ofDay = { date_from: day, date_to: day, sort: 'id' } as const
  for (const name of ['invoices', 'credit-memos'] as const) {
    // A credit memo is an invoice the other way round.
    const sign = name === 'invoices' ? 1n : -1n
    for await (const document of client.records(name, ofDay)) {
      if (document.status !== 'regular') continue
      const [customers, tax] = [cents(document.total) * sign, cents(document.tax) * sign]
      const shipping = cents(document.shipping) * sign
      // The total is what counts; what is neither tax nor shipping of it was sold.
      book(document, { customers, tax: -tax, shipping: -shipping, sales: tax + shipping - customers })
    }
  }
  for await (const payment of client.records('payments', ofDay)) {
    if (payment.status !== 'regular') continue
    const [cash, card, cheque] = [cents(payment.cash), cents(payment.card), cents(payment.cheque)]
    const total = cents(payment.amount_received)
    book(payment, { cash, card, cheque, other: total - cash - card - cheque, customers: -total })
  }

  for (const [currency, { debit, credit, documents }] of sums)
    console.error(`${day} ${currency}: ${documents} documents, debit ${written(debit)} = credit ${written(credit)}`)
  for (const name of ['invoices', 'credit-memos', 'payments'] as const)
    for await (const { number, date } of client.records(name, { status: 'void', updated_since: day, sort: 'id' }))
      if (date !== null && date < day)
        console.error(`${number} of ${date.slice(0, 10)} is void: reverse it if it was booked.`)
}

async function main(): Promise<void> {
  const { VITRINE_URL: url, VITRINE_CLIENT_ID: clientId, VITRINE_CLIENT_SECRET: clientSecret } = process.env
  if (!url || !clientId || !clientSecret)
    throw new Error('Set VITRINE_URL, VITRINE_CLIENT_ID and VITRINE_CLIENT_SECRET.')
  const client = createClient({ url, clientId, clientSecret })
  const today = (await client.status()).time.slice(0, 10)
  const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)
  await exportDay(client, process.argv[2] ?? yesterday)
}

try {
  await main()
} catch (error) {
  // A partial journal must not be booked: check the exit status.
  process.exitCode = 1
  console.error((error as Error).message)
}
