// The queries for Excel and Power BI in docs/integrate/excel.md: Microsoft's parser reads them, and every path, parameter and field that
// they name is in the OpenAPI document.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DefaultSettings, ResultKind, TaskUtils } from '@microsoft/powerquery-parser'
import { pointerTo, resolve, wholeDocument } from '../../../support/openapi.ts'
import { sampleFile, samples } from '../../../support/samples.ts'

// The records whose fields each query types, in the order in which it names them.
const queries = { 'invoices.pq': ['InvoiceSummary'], 'stock.pq': ['Product', 'ProductStock'] }

const isValid = async (code: string) =>
  (await TaskUtils.tryLexParse(DefaultSettings, code)).resultKind !== ResultKind.Error
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)

test('every query of the guide is one of these, and the parser finds no fault in it; it does in a broken one', async () => {
  assert.deepEqual(
    samples.filter(({ language }) => language === 'powerquery').map(({ file }) => file),
    Object.keys(queries),
  )
  for (const { code } of Object.keys(queries).map(sampleFile)) {
    assert(await isValid(code))
    assert(!(await isValid(code.replace('\nin\n', '\n'))))
  }
})

test('every path, parameter and field that a query names is in the OpenAPI document', () => {
  const document = wholeDocument()
  const partAt = (...names: (string | number)[]) => resolve(document, pointerTo(...names)).part
  for (const [file, schemas] of Object.entries(queries)) {
    const { code } = sampleFile(file)
    const [token, list, ...others] = namesIn(code, /RelativePath = "api\/v1(.+)"/g)
    assert.deepEqual([typeof partAt('paths', token ?? '', 'post'), others], ['object', []])
    const parameters: unknown[] = partAt('paths', list ?? '', 'get').parameters
    const known = new Set(parameters.map((_, at) => partAt('paths', list ?? '', 'get', 'parameters', at).name))
    const asked = namesIn(code, /(?:Query = |& |ReadPart\()\[([^\]]*)/g).flatMap((part) => namesIn(part, /(\w+) =/g))
    assert(asked.length > 1)
    for (const name of asked) assert(known.has(name), `${file} ${name}`)
    const tables = namesIn(code, /Columns = \{\n(.*?)\n {4}\}/gs)
    assert.equal(tables.length, schemas.length)
    for (const [at, schema] of schemas.entries()) {
      const fields = Object.keys(partAt('components', 'schemas', schema).properties)
      for (const name of namesIn(tables[at] ?? '', /\{"(\w+)", /g)) assert(fields.includes(name), `${schema} ${name}`)
    }
  }
})
