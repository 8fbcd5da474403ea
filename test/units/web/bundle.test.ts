// What browsers get of the console and the documentation page is made for them: nothing of the service comes along.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consoleFile } from '../../../src/web/console/files.ts'
import { pageFiles } from '../../../src/web/docs/files.ts'
import { makeBundle } from '../../../src/web/page/bundle.ts'

test('the listener goes on while what browsers get is made', async () => {
  const docs = pageFiles({ basePath: '/api/v1', publicUrl: null, currencies: ['USD'] })
  for (const make of [() => docs('/docs/fr'), () => docs('/docs/page.css'), () => consoleFile('/')]) {
    let isMade = false
    const made = Promise.resolve(make()).finally(() => (isMade = true))
    await new Promise(setImmediate)
    assert(!isMade)
    assert.notEqual(await made, undefined)
    assert.notEqual(await make(), undefined)
  }
})

for (const page of ['console', 'docs'] as const)
  test(`${page}: its scripts hold no SQL`, () => {
    const scripts = makeBundle(page).filter(({ type }) => type.includes('javascript'))
    assert.notEqual(scripts.length, 0)
    const withSql = scripts.filter(({ bytes }) =>
      /\bSELECT\b|\bCAST\(|\bINSERT INTO\b/.test(new TextDecoder().decode(bytes)),
    )
    assert.deepEqual(
      withSql.map(({ name }) => name),
      [],
    )
  })
