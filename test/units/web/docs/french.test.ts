// The French page: every sentence that it takes from the OpenAPI document is translated, for every access.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basePath } from '../../../../src/app.ts'
import type { Access } from '../../../../src/catalogue/access.ts'
import { permissions } from '../../../../src/catalogue/permissions.ts'
import { shared } from '../../../../src/catalogue/meanings.ts'
import { resources } from '../../../../src/catalogue/resources/index.ts'
import { describeApi } from '../../../../src/describe/openapi/document.ts'
import { sayInFrench } from '../../../../src/web/docs/browser/document-fr.ts'
import { readDocument } from '../../../../src/web/docs/browser/read-document.ts'
import { referenceHtml } from '../../../../src/web/docs/browser/reference-html.ts'
import { texts as en } from '../../../../src/web/docs/browser/texts-en.ts'

const accesses: readonly (Access | null)[] = [
  null,
  { permissions, stores: null, priceList: null },
  { permissions: ['products:read', 'costs:read', 'reference:read'], stores: [1], priceList: 2 },
  { permissions: ['costs:read', 'customers:financial'], stores: null, priceList: null },
]
const references = accesses.map((access) => readDocument(JSON.parse(JSON.stringify(describeApi(access, basePath)))))

// What the page asks to be said.
function sentencesSaid(): Set<string> {
  const said = new Set<string>()
  const say = (text: string) => {
    for (const sentence of text.split(/(?<=\.) (?=[A-Z`])/)) said.add(sentence)
    return text
  }
  for (const reference of references) referenceHtml(reference, { ...en, say })
  return said
}

const codes = (text: string) => (text.match(/`[^`]+`/g) ?? []).toSorted()

test('every sentence has a French one, with the same code in it', () => {
  const said = sentencesSaid()
  assert.ok(said.size > 300)
  for (const sentence of said) {
    const french = sayInFrench(sentence)
    assert.notEqual(french, sentence)
    assert.deepEqual(codes(french), codes(sentence), sentence)
  }
})

test('each sentence of the catalogue has one French sentence', () => {
  const known = new Map<string, string>()
  for (const { en: english, fr: french } of [shared, ...resources]) {
    assert.deepEqual(Object.keys(french), Object.keys(english))
    for (const [name, sentence] of Object.entries(english)) {
      assert.equal(known.get(sentence) ?? french[name], french[name])
      known.set(sentence, french[name] ?? '')
    }
  }
})
