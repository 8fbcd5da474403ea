// Code samples of operations: each names its request, and none can be broken by a value. They are run in
// test/commands/operation-samples.slow.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleLanguages, sampleOf, type SampleLanguage } from '../../../../src/web/docs/browser/samples.ts'
import { targetOf } from '../../../../src/web/docs/browser/target.ts'

const names = Object.keys(sampleLanguages) as SampleLanguage[]
const strange = `a'b"c\\d$e\`f\n{g}(h)!*é`
const url = `https://shop.example${targetOf('/api/v1/products', [['search', strange]])}`

for (const language of names)
  test(`${sampleLanguages[language]}: the address as it is, the token and the credentials only by name`, () => {
    assert.doesNotMatch(new URL(url).search, /['"\\$`\n{}()!*]/)
    const list = sampleOf(language, { method: 'GET', url, needsToken: true, form: {} })
    assert.ok(list.includes(url))
    assert.match(list, /\bTOKEN\b/)
    const open = sampleOf(language, { method: 'GET', url, needsToken: false, form: {} })
    assert.doesNotMatch(open, /\bTOKEN\b|Authorization/)
    const form = { token: '$TOKEN', grant_type: 'client_credentials' }
    const post = sampleOf(language, { method: 'POST', url, needsToken: false, form })
    for (const part of ['ACCESS_KEY', 'SECURITY_CODE', 'TOKEN', 'grant_type', 'client_credentials'])
      assert.ok(post.includes(part), part)
    assert.match(sampleOf(language, { method: 'HEAD', url, needsToken: false, form: {} }), /head/i)
  })
