// A token whose key has lost all its permissions: its document is still valid.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basePath } from '../../../src/app.ts'
import { describeApi } from '../../../src/describe/openapi/document.ts'
import { faultsAt } from '../../support/openapi.ts'
import { credentialsPaths, metadataPath } from '../../support/routes.ts'

const document = describeApi({ permissions: [], stores: null, priceList: null }, basePath)

test('it describes the service and no resource, and no list of values is empty', () => {
  const paths = ['/status', ...credentialsPaths, '/ping', '/resources', '/openapi.json', metadataPath, '/changes']
  assert.deepEqual(Object.keys(document.paths), paths)
  assert.doesNotMatch(JSON.stringify(document), /"enum":\[\]/)
})

test('an answer can be held against it', () => {
  const ping = { ok: true, client: 'Web shop', scopes: [] }
  assert.deepEqual(faultsAt(document, '#/components/schemas/Ping', ping), [])
})
