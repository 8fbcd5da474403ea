// The code in client/README.md runs, as an integrator would copy it: with the installed package, against a real service.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { filledRow } from '../support/fixture.ts'
import { repository, startServer, type Server, type Settings } from '../support/process.ts'
import { installClient, type Installed } from './installed.ts'

const readme = readFileSync(join(repository, 'client', 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map((found) => found[1] ?? '')
const [first = ''] = blocks

let client: Installed
let server: Server
let settings: Settings
before(async () => {
  const rows = {
    invoices: [1, 2].map((id) => filledRow('invoices', id, { kind: 1, status: 3 })),
    invoice_lines: [filledRow('invoice_lines', 1, { invoice_id: 2 })],
    customers: [filledRow('customers', 1)],
    stores: [filledRow('stores', 1)],
  }
  ;[client, server] = await Promise.all([installClient(), startServer({ rows })])
  const key = await server.makeKey('--rate', '100000')
  settings = {
    VITRINE_URL: `https://127.0.0.1:${server.https}`,
    VITRINE_CLIENT_ID: key.client_id,
    VITRINE_CLIENT_SECRET: key.client_secret,
    NODE_EXTRA_CA_CERTS: server.certificate,
  }
})
after(async () => {
  client.remove()
  await server.remove()
})

// What comes after the first block uses the client that it made.
async function run(block: string): Promise<string> {
  client.write('block.js', block === first ? block : `${first.replace(/^const \{ data.*/ms, '')}\n${block}`)
  return await client.run(process.execPath, ['block.js'], settings)
}

const expected: readonly (readonly [start: string, printed: RegExp])[] = [
  ['import { createClient }', /^2 invoices, the largest [\d.]+ invoices\.currency\.2/],
  ['// One page', /invoice_lines\.name.*\n1\n1 .*\ntrue \[/s],
  ['import { DatabaseSync }', /^$/],
  ['const everything', /^1 0\n2 1\n$/],
  [
    'import { VitrineError }',
    /^invalid_parameter 400\n.*date_from.*per_page|^invalid_parameter 400\n.*per_page.*date_from/s,
  ],
  ['const patient', /^Test\n$/],
]

test('every block is known here', () => {
  assert.deepEqual(
    blocks.map((block) => expected.findIndex(([start]) => block.startsWith(start))),
    expected.map((_, at) => at),
  )
})

for (const [start, printed] of expected)
  test(`the block that begins with ${start}`, async () => {
    assert.match(await run(blocks.find((block) => block.startsWith(start)) ?? ''), printed)
  })

test('the copy is the same after a change, and after another run', async () => {
  const block = blocks.find((each) => each.includes('DatabaseSync')) ?? ''
  const pos = openSqlite(join(server.data, 'pos.db'))
  pos.exec("UPDATE invoices SET total = 77, updated_at = '2026-03-01T08:00:00' WHERE id = 2")
  pos.close()
  await run(block)
  await run(block)
  const copy = openSqlite(join(client.app, 'copy.db'))
  const records = copy.prepare("SELECT id, record FROM records WHERE resource = 'invoices' ORDER BY id").all() as {
    id: number
    record: string
  }[]
  copy.close()
  assert.deepEqual(
    records.map(({ id, record }) => [id, (JSON.parse(record) as { total: number }).total]),
    [
      [1, filledRow('invoices', 1)['total']],
      [2, 77],
    ],
  )
})
