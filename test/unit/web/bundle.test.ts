// What browsers get of the console and the documentation page is made for them: nothing of the service comes along.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeBundle } from '../../../src/web/page/bundle.ts'

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
