// A field, a limit or an error that is changed where it is declared is changed in the page, OpenAPI, the reference and the client's types.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

const source = new URL('../../../src', import.meta.url).href

// In a process of its own, because it changes the declarations.
const program = `
const load = (path) => import(${JSON.stringify(source)} + path)
const [{ limits }, { errors }, { stores }] = await Promise.all(
  ['/query/limits.ts', '/errors.ts', '/catalogue/resources/stores.ts'].map(load))
limits.perPage = 77
errors.not_found.message = 'A changed sentence.'
stores.fields.push({ kind: 'column', name: 'balance', column: 'id', gate: 'costs:read' })
const [{ describeApi }, { resourcesPage, errorsPage }, { clientTypes }, { docsPage }] = await Promise.all(
  ['/describe/openapi/document.ts', '/describe/reference-pages.ts', '/describe/client-types.ts', '/web/docs/page.ts'].map(load))
const page = docsPage({ basePath: '/api/v1', publicUrl: null, currencies: ['USD'] }, 'en')
console.log(JSON.stringify({
  page, openApi: JSON.stringify(describeApi(null, '/api/v1')), reference: resourcesPage() + errorsPage(), types: clientTypes(),
}))`

test('without a second edit', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  assert.equal(status, 0, stderr)
  const { page = '', openApi = '', reference = '', types = '' } = JSON.parse(stdout) as Record<string, string>
  for (const text of [page, openApi, reference]) assert.ok(text.includes('A changed sentence.'))

  assert.match(page, /id="stores-listStores-per_page"[^]*?maximum <code>77<\/code>/)
  assert.match(openApi, /"name":"per_page"[^}]*"maximum":77/)
  assert.match(reference, /`per_page` \| 1 to 77/)

  assert.match(page, /id="stores-field-balance"[^]*?integer[^]*?needs <code>costs:read<\/code>/)
  const { Store } = (JSON.parse(openApi) as { components: { schemas: Record<string, { properties: object }> } })
    .components.schemas
  assert.ok(Store && 'balance' in Store.properties)
  assert.match(reference.split('\n## stores\n')[1]?.split('\n## ')[0] ?? '', /`balance` \| integer/)
  assert.match(
    types.split('export interface Store {')[1]?.split('\n}')[0] ?? '',
    /Needs the permission costs:read[^]*readonly balance\?: number/,
  )
})
