// Faulty files: all faults in names, headers, records and encodings are reported at once, and nothing is changed.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { OperatorError } from '../../../src/errors.ts'
import { faultText } from '../../../src/operate/import/files.ts'
import type { ImportOptions } from '../../../src/operate/import/run.ts'
import { runImport } from '../../support/import-files.ts'
import { temporaryFolder } from '../../support/process.ts'

const root = temporaryFolder('vitrine-import-')
after(() => rmSync(root, { recursive: true, force: true }))
let made = 0

type Files = Readonly<Record<string, string | Buffer>>

function folderOf(files: Files): string {
  const folder = join(root, String((made += 1)))
  mkdirSync(folder)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

/** The faults, in the words that people read; the database that is not there yet stays away. */
async function faultsOf(files: Files, options: Partial<ImportOptions> = {}): Promise<string[]> {
  const folder = folderOf(files)
  const path = join(folder, 'data', 'pos.db')
  const result = await runImport({ kind: 'sqlite', path }, folder, options)
  assert.ok('faults' in result, 'it was imported')
  assert.equal(existsSync(path), false)
  assert.equal(result.faults.count >= result.faults.first.length, true)
  return result.faults.first.map(faultText)
}

async function right(files: Files, options: Partial<ImportOptions> = {}) {
  const folder = folderOf(files)
  const result = await runImport({ kind: 'sqlite', path: join(folder, 'pos.db') }, folder, {
    isDryRun: true,
    ...options,
  })
  assert.ok('relations' in result, JSON.stringify(result))
  return result
}

const stores = 'id,name\n1,One\n'

test('names: large or small letters; a README is not read, and named', async () => {
  const { relations, ignored } = await right({
    'Stores.CSV': stores,
    'README.txt': 'x',
    'notes.md': 'x',
    '.hidden.csv': 'x',
  })
  assert.deepEqual(
    relations.map(({ relation, file }) => [relation, file]),
    [['stores', 'Stores.CSV']],
  )
  assert.deepEqual(ignored, ['README.txt', 'notes.md'])
})

test('ndjson: a column that is on a line twice, by the same name or in other letters', async () => {
  const lines = [
    '{"ID":1,"id":2}',
    '{"id":3,"name":"a","name":"b"}',
    '{"id":4,"name":"a", "n\\u0061me" :"b","phone":"5"}',
    String.raw`{"id":5,"name":":\\","phone":"\"id\":5,\"id\":6","email":":"}`,
    '{"id":6 , "name" : "a" }',
    '{"id":7,"id":8,"id":9}',
  ]
  const faults = await faultsOf({ 'stores.ndjson': lines.join('\r\n') })
  const told = ['1: id', '2: name', '3: name', '6: id']
  assert.deepEqual(
    faults,
    told.map((where) => `stores.ndjson:${where}: The column is there twice; expected it once.`),
  )
})

test('names: what was probably meant is told of, all at once, with what is in the files', async () => {
  const faults = await faultsOf({
    'invoice.csv': 'id\n1\n',
    'invoices.xlsx': 'x',
    'nothing.ndjson': '',
    'stores.csv': 'id,name\nx,One\n',
    'stores.ndjson.gz': gzipSync('{"id":1}'),
  })
  assert.equal(faults.length, 5)
  assert.match(faults[0] ?? '', /^invoice\.csv: There is no relation of this name; did you mean invoices\?$/)
  assert.match(faults[1] ?? '', /^invoices\.xlsx: Cannot be read; expected invoices with the ending \.csv or \.ndjson/)
  assert.match(faults[2] ?? '', /^nothing\.ndjson: There is no relation of this name; the relations are stores, /)
  assert.match(faults[3] ?? '', /^stores\.ndjson\.gz: stores\.csv is of stores too; expected one file\.$/)
  assert.match(faults[4] ?? '', /^stores\.csv:2: id: Expected a whole number from 1; found "x"\.$/)
})

test('folders: none, a file, an empty one', async () => {
  const folder = folderOf({})
  const database = { kind: 'sqlite', path: join(folder, 'pos.db') } as const
  const refused = (path: string, why: RegExp) =>
    assert.rejects(runImport(database, path), (error) => error instanceof OperatorError && why.test(error.message))
  await refused(join(folder, 'absent'), /^There is no folder /)
  await refused(folder, /^There is nothing to import in .*: expected files named after relations/)
  writeFileSync(join(folder, 'file'), '')
  await refused(join(folder, 'file'), /is not a folder/)
})

test('headers: unknown and repeated columns, a missing key, no header at all', async () => {
  assert.deepEqual(await faultsOf({ 'stores.csv': 'id,nmae,name,NAME\n1,a,b,c\n' }), [
    'stores.csv:1: nmae: stores has no such column; did you mean name?',
    'stores.csv:1: name: The column is there twice; expected it once.',
  ])
  assert.deepEqual(await faultsOf({ 'stores.csv': 'id,,name\n1,a,b\n' }), ['stores.csv:1: Column 2 has no name.'])
  assert.deepEqual(await faultsOf({ 'product_stock.csv': 'product_id,quantity\n1,2\n' }), [
    'product_stock.csv:1: store_id: The column is not there; expected the key of the relation.',
  ])
  assert.deepEqual(await faultsOf({ 'stores.csv': '\ufeff' }), [
    'stores.csv: The file is empty; expected a header row.',
  ])
  assert.deepEqual(await faultsOf({ 'stores.csv': 'id\tname\n1\ta\n' }), [
    'stores.csv:1: The columns are separated by tabs; expected semicolons or commas.',
  ])
  assert.deepEqual(await faultsOf({ 'stores.csv': 'id,name\r1,a\r' }), [
    'stores.csv:1: The lines end with CR alone; expected LF or CRLF.',
  ])
})

test('spreadsheets: byte order mark, semicolons, CRLF, rows of nothing, a line that names the separator', async () => {
  const { relations } = await right({ 'stores.csv': '\ufeffsep=;\r\nID;Name \r\n1;"a;b"\r\n;\r\n\r\n2;c\r\n' })
  assert.deepEqual([relations[0]?.read, relations[0]?.new], [2, 2])
})

test('records: lines are those of the file, quoted line breaks counted', async () => {
  assert.deepEqual(await faultsOf({ 'stores.csv': 'id,name\n1,"a\n\nb"\nx,c\n4\n5,d"e\n' }), [
    'stores.csv:5: id: Expected a whole number from 1; found "x".',
    'stores.csv:6: Expected 2 values, as in the header; found 1.',
    'stores.csv:7: name: A quote stands within a value; expected the whole value in quotes, and each quote within it twice.',
  ])
})

test('a decimal comma is told of, and taken where that was said', async () => {
  const files = { 'product_prices.csv': 'product_id;price_list_id;price\n1;1;12,50\n' }
  const [fault = ''] = await faultsOf(files)
  assert.match(fault, /^product_prices\.csv:2: price: .* found "12,50"\. With --decimal-comma, a comma is taken/)
  await right(files, { hasDecimalComma: true })
  const json = await faultsOf(
    { 'product_prices.ndjson': '{"product_id":1,"price_list_id":1,"price":"12,50"}' },
    { hasDecimalComma: true },
  )
  assert.match(json[0] ?? '', /decimal point/)
})

test('NDJSON: no objects, unknown names once, values of the wrong type, no key', async () => {
  const lines = [
    '[1]',
    '{"id":1,"nmae":"x"}',
    '{"id":2,"nmae":"x","name":7}',
    '{"name":"x"}',
    '{"id":null}',
    '{"id":5,"name":{"a":1}}',
    '{broken',
    '{"id":6,"name":"\\u0000"}',
    '{"id":9223372036854775808}',
    '{"id":1e400}',
  ]
  const faults = await faultsOf({ 'stores.ndjson': lines.join('\n') })
  assert.deepEqual(
    faults.map((fault) => fault.replace('stores.ndjson:', '')),
    [
      '1: Expected a JSON object on each line; found "[1]".',
      '2: nmae: stores has no such column; did you mean name?',
      '3: name: Expected a text without NUL characters; found 7.',
      '4: id: Expected a whole number from 1; found nothing.',
      '5: id: Expected a whole number from 1; found nothing.',
      '6: name: Expected a text without NUL characters; found an object.',
      '7: Expected a JSON object on each line; found "{broken".',
      '8: name: Expected a text without NUL characters; found "\\u0000".',
      '9: id: Expected a whole number from 1; found 9223372036854775808.',
      '10: id: Expected a whole number from 1; found 1e400.',
    ],
  )
})

test('bytes: another encoding, UTF-16, what is compressed and what is not, a part of a file, a NUL', async () => {
  const latin = Buffer.from('id,name\n1,a\n2,Caf\xe9\n3,\xe9\n', 'latin1')
  assert.deepEqual(await faultsOf({ 'stores.csv': latin }), [
    'stores.csv:3: The text is not UTF-8 from this line on; expected UTF-8 (in Excel: "CSV UTF-8").',
  ])
  const [utf16 = ''] = await faultsOf({ 'stores.csv': Buffer.from('\ufeffid\n', 'utf16le') })
  assert.match(utf16, /^stores\.csv: The text is UTF-16/)
  const [named = ''] = await faultsOf({ 'stores.csv': gzipSync(stores) })
  assert.match(named, /expected a name that ends with \.gz/)
  const [plain = ''] = await faultsOf({ 'stores.csv.gz': stores })
  assert.match(plain, /cannot be decompressed; expected gzip/)
  const [part = ''] = await faultsOf({ 'stores.csv.gz': gzipSync(stores).subarray(0, -6) })
  assert.match(part, /^stores\.csv\.gz: The file ends too early/)
  assert.deepEqual(await faultsOf({ 'stores.csv': 'id,name\n1,a\0b\n' }), [
    'stores.csv:2: name: Expected a text without NUL characters; found "a\\u0000b".',
  ])
})

test('a line without end is told of, and what follows is read', async () => {
  const faults = await faultsOf({ 'stores.ndjson': `{"id":1}\n{"name":"${'x'.repeat(6_000_000)}"}\n{"id":"y"}\n` })
  assert.match(faults[0] ?? '', /^stores\.ndjson:2: The line is longer than/)
  assert.deepEqual(faults.slice(1), ['stores.ndjson:3: id: Expected a whole number from 1; found "y".'])
})

test('the first faults are told, all are counted', async () => {
  const folder = folderOf({ 'stores.csv': `id\n${'x\n'.repeat(250)}${'7\n'.repeat(51)}` })
  const result = await runImport({ kind: 'sqlite', path: join(folder, 'pos.db') }, folder, { mostFaults: 10 })
  assert.ok('faults' in result)
  assert.deepEqual([result.faults.first.length, result.faults.count], [10, 300])
})
