// The examples of the OpenAPI document are what the demo company answers, record by record.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { basePath } from '../../src/app.ts'
import { permissions } from '../../src/catalogue/permissions.ts'
import { resources } from '../../src/catalogue/resources/index.ts'
import { describeApi } from '../../src/describe/openapi/document.ts'
import { askForRecords, keptRecords } from '../support/demo-records.ts'
import { pointerTo, resolve } from '../support/openapi.ts'

const document = describeApi({ permissions, stores: null, priceList: null }, basePath)
const exampleOf = (path: string): unknown =>
  resolve(document, pointerTo('paths', path, 'get', 'responses', 200, 'content', 'application/json', 'example')).part

let answered: Awaited<ReturnType<typeof askForRecords>>
before(async () => {
  answered = await askForRecords()
})

test('every resource has an example', () => {
  assert.deepEqual(
    Object.keys(keptRecords()),
    resources.map(({ name }) => name),
  )
})

for (const { name } of resources) {
  test(`${name}: the demo company answers as the examples say`, () => {
    assert.deepEqual(exampleOf(`/${name}/{id}`), { data: answered.records[name] })
    assert.deepEqual(exampleOf(`/${name}`), answered.lists[name])
  })
}
