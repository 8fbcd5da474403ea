// What `vitrine pull` is given: every wrong value has its sentence, and all of them come at once.
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pullCommand } from '../../client/pull/command.ts'
import { readOptions } from '../../client/pull/options.ts'
import { parseArguments } from '../../src/terminal/arguments.ts'
import { temporaryFolder } from '../support/process.ts'

const folder = temporaryFolder()
after(() => rmSync(folder, { recursive: true, force: true }))
const [code, empty] = [join(folder, 'code'), join(folder, 'empty')]
writeFileSync(code, 'svc_sk_1\n')
writeFileSync(empty, '\n')

// By option; an empty text is a flag.
type Given = Readonly<Record<string, string>>
const right = { url: 'https://shop.example', 'client-id': 'svc_ak_1', 'secret-file': code, to: 'mirror' }
const parse = (given: Given) => {
  const words = Object.entries({ ...right, ...given }).flatMap(([name, value]) =>
    value === '' ? [`--${name}`] : [`--${name}`, value],
  )
  return parseArguments(['pull', ...words], [pullCommand])
}

const wrong: readonly [given: Given, ...sentences: RegExp[]][] = [
  [{ url: 'http://localhost' }, /"http:\/\/localhost" is not the address of a service/],
  [{ 'secret-file': join(folder, 'none') }, /^--secret-file names .*none, which cannot be read: .*\.$/],
  [{ 'secret-file': empty }, /^--secret-file names .*empty, which is empty\.$/],
  [{ 'with-lines': '', 'without-lines': '' }, /^Give --with-lines or --without-lines, not both\.$/],
  [{ to: 'mysql://shop/mirror' }, /--to cannot be a mysql:\/\/ address: it names a folder, a SQLite file/],
  [{ to: 'postgres://shop/mirror?schema=Mine' }, /The schema in --to is a name of lower-case letters/],
  [{ to: 'postgres://shop/mirror?schema=pg_own' }, /The schema in --to is a name of lower-case letters/],
  [{ to: 'postgres://shop/mirror?colour=red' }, /--to has the unknown parameter colour; known are schema, /],
  [{ to: 'postgres://me:1#b@shop/mirror' }, /^In --to, write special characters of the password as /],
  [{ to: 'postgres://' }, /--to is not the address of a PostgreSQL database, which looks like/],
  [{ to: 'postgres://shop/m', format: 'csv' }, /--format is for files: a mirror in PostgreSQL has/],
  [{ format: 'xml' }, /^--format is ndjson, csv or sqlite, not "xml"\.$/],
  [{ format: 'sqlite' }, /^For SQLite --to names a file that ends with \.db, such as mirror\.db\.$/],
  [{ to: 'a.db', format: 'csv' }, /^--to names the SQLite file a\.db, but --format says csv\.$/],
  [{ 'raw-text': '' }, /^--raw-text requires --format csv\.$/],
  [{ every: '5' }, /^--every requires --watch\.$/],
  [{ every: '0', watch: '' }, /^--every is a number of seconds, at least 1\.$/],
  [{ url: 'shop', fromat: 'xml', every: 'x' }, /^--fromat is not an option/, /"shop"/, /"xml"/, /every is/, /--watch/],
]

for (const [given, ...sentences] of wrong)
  test(`pull ${new URLSearchParams(given).toString()} is refused`, () => {
    const parsed = parse(given)
    const faults = 'faults' in parsed ? parsed.faults : []
    assert.equal(faults.length, sentences.length, faults.join('\n'))
    for (const [at, sentence] of sentences.entries()) assert.match(faults[at] ?? '', sentence)
  })

test('what is given is what it does; the schema of a mirror is no parameter of the database', () => {
  const to = 'postgres://shop/mirror?schema=own&sslmode=require'
  const parsed = parse({ to, watch: '', 'without-lines': '', json: '' })
  assert('command' in parsed)
  assert.deepEqual(readOptions({ ...parsed, operands: ['stores,quotes', 'invoices'] }, {}), {
    url: 'https://shop.example',
    clientId: 'svc_ak_1',
    clientSecret: 'svc_sk_1',
    resources: ['stores', 'quotes', 'invoices'],
    target: { kind: 'postgres', url: 'postgres://shop/mirror?sslmode=require', schema: 'own' },
    format: 'tables',
    isRawText: false,
    isWithoutLines: true,
    isAnew: false,
    everySeconds: 60,
    certificate: null,
    isJson: true,
  })
})
