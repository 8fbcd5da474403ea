// The texts of the console's page: the same keys in every language, none unused, and a text for every data name, action and refusal.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isGate } from '../../../../src/catalogue/access.ts'
import { permissionWords } from '../../../../src/catalogue/permissions.ts'
import { resources } from '../../../../src/catalogue/resources/index.ts'
import { consoleSentences } from '../../../../src/web/console/faults.ts'
import enPage from '../../../../src/web/console/browser/texts/en.json' with { type: 'json' }
import frPage from '../../../../src/web/console/browser/texts/fr.json' with { type: 'json' }
import htPage from '../../../../src/web/console/browser/texts/ht.json' with { type: 'json' }
import { plainReasons } from '../../../../src/finder/snapshot.ts'
import { keySentences } from '../../../../src/keys/faults.ts'
import { acts } from '../../../../src/state/state.ts'

// The page's own, and those that the service sends it.
const withWords = <Own extends { faults: object }>(texts: Own, language: 'en' | 'fr' | 'ht') => ({
  ...texts,
  faults: texts.faults as Readonly<Record<string, string>>,
  resources: resources.map(({ names }) => names[language]),
  permissions: permissionWords.map(({ names, holds }) => ({
    name: names[language],
    ...(holds && { holds: holds[language] }),
  })),
})
const [en, fr, ht] = [withWords(enPage, 'en'), withWords(frPage, 'fr'), withWords(htPage, 'ht')]
const all: Readonly<Record<string, object>> = { en, fr, ht }
// Of the service, in English.
const sentences: Readonly<Record<string, (values: Values) => string>> = { ...consoleSentences, ...keySentences }
const folder = join(import.meta.dirname, '..', '..', '..', '..', 'src', 'web', 'console', 'browser')
const sources = globSync('*.{ts,tsx}', { cwd: folder }).map((name) => readFileSync(join(folder, name), 'utf8'))

type Values = Readonly<Record<string, string | number>>
type Leaf = readonly [path: string, value: unknown]
const leaves = (value: object, path = ''): Leaf[] =>
  Object.entries(value).flatMap(([name, each]: [string, unknown]): Leaf[] =>
    typeof each === 'object' && each !== null ? leaves(each, `${path}${name}.`) : [[`${path}${name}`, each]],
  )

// With something in the place of every value.
const values = new Proxy({}, { get: () => 7 })
const written = ([, value]: Leaf): string =>
  typeof value === 'function'
    ? String((value as (given: Values) => unknown)(values))
    : String(value).replaceAll(/\{\w+\}/g, '7')

const said = (texts: object) => leaves(texts).map((leaf): [string, string] => [leaf[0], written(leaf)])

for (const [language, texts] of Object.entries(all)) {
  test(`${language}: the same keys as in English, each of them said`, () => {
    assert.deepEqual(
      leaves({ ...texts, faults: {} }).map(([path]) => path),
      leaves({ ...en, faults: {} }).map(([path]) => path),
    )
    for (const leaf of leaves(texts)) assert.match(written(leaf), /\S/, leaf[0])
  })

  test(`${language}: typographic apostrophes, and no word of another language left behind`, () => {
    assert.deepEqual(
      said(texts).filter(([, text]) => text.includes("'") || /\s{2}|undefined|NaN/.test(text)),
      [],
    )
    if (language === 'en') return
    const english = new Map(said({ ...en, faults: { ...sentences, ...en.faults } }))
    const same = said(texts).filter(([path, text]) => text === english.get(path) && text.split(' ').length > 2)
    assert.deepEqual(same, [])
  })
}

test('the button that leaves a question is never named like the action', () => {
  for (const { page, key, blocks, company, account } of [en, fr, ht]) {
    const actions = [key.revoke, key.renew, key.pause, key.remove, blocks.clear, company.turnOff, account.everywhere]
    assert.equal(new Set([page.cancel, ...actions]).size, actions.length + 1)
  }
})

test('French puts a space before : ; ? and !, and no line ends there, nor within « »', () => {
  assert.deepEqual(
    said(fr).filter(([, text]) => /[^\s\d][:;?!](?:\s|$)/.test(text)),
    [],
  )
  assert.deepEqual(
    [...said(fr), ...said(ht)].filter(([, text]) => / [:;?!»]|« /.test(text)),
    [],
  )
})

test('a text for every action, refusal and reason of a list, and for no other', () => {
  assert.deepEqual(Object.keys(en.actions), [...acts])
  assert.deepEqual(Object.keys(en.health.why), Object.keys(plainReasons))
  // In English a refusal is shown in the sentence of the service, unless the page has another.
  const own = ['unreachable', 'perhaps_done', 'unknown']
  const refusals = [...own, ...Object.keys(sentences).filter((code) => !ofOtherClients.has(code))]
  for (const { faults } of [fr, ht]) assert.deepEqual(Object.keys(faults).toSorted(), refusals.toSorted())
  assert.deepEqual(
    Object.keys(en.faults).filter((code) => !refusals.includes(code)),
    [],
  )
})

// The page never sends what these refuse. Should an older page do so, it shows the sentence of the service.
const ofOtherClients = new Set([
  'account_unchanged',
  'addresses.missing',
  'before_invalid',
  'enabled_and_disabled',
  'enabled_invalid',
  'role.first_account',
  'foreign_page',
  'method_not_allowed',
  'nothing_to_change',
  'overlap.invalid',
  'permissions.mistyped',
  'permissions.unknown',
  'price_list.invalid',
  'role.invalid',
  'stores.invalid',
])

const namesIn = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))].toSorted()

test('each refusal uses only values that the service sends with it', () => {
  for (const [code, sentence] of Object.entries(sentences)) {
    const sent = new Set<string>()
    sentence(new Proxy({}, { get: (_, name) => (sent.add(name === 'seconds' ? 'wait' : String(name)), 7) }))
    for (const { faults } of [en, fr, ht])
      assert.deepEqual(
        namesIn(faults[code] ?? '').filter((name) => !sent.has(name)),
        [],
        code,
      )
  }
})

test('a text has the same values in every language, and the page gives them', () => {
  const source = sources.join('\n')
  const english = leaves({ ...en, faults: {} }).map(([path, text]): [string, string] => [path, String(text)])
  for (const texts of [fr, ht])
    for (const [at, [path, text]] of leaves({ ...texts, faults: {} }).entries())
      assert.deepEqual(namesIn(String(text)), namesIn(english[at]?.[1] ?? ''), path)
  for (const [path, text] of english) {
    const names = namesIn(text)
    // Some are chosen by a name or a condition.
    const uses = [...source.matchAll(new RegExp(`(fill\\()?\\bt\\.${path.replaceAll('.', '\\.')}\\b(.{0,120})`, 'gs'))]
    for (const [, filled, after = ''] of uses.filter(() => !path.startsWith('health.certificate'))) {
      assert.equal(filled !== undefined, names.length > 0, path)
      for (const name of names) assert.match(after, new RegExp(`\\b${name}\\b`), path)
    }
  }
})

test('one is singular, in every language', () => {
  const second = { seconds: 1 }
  for (const code of ['password.too_many_attempts', 'rate_limited'])
    assert.match(String(sentences[code]?.(second)), /\b1 second\b/)
  for (const { preview } of [en, fr, ht]) assert.doesNotMatch(preview.first.split(' | ')[0] ?? '', /[1#]/)
})

// These are found by a name that the service sends.
const byName =
  /^(?:permissions|resources|actions|faults|nav|health\.why|fields|audit\.scopes|form\.groups|form\.(?:name|price_list|rate|expires|addresses)(?:Note)?|keys\.(?:states|stateOf)|usage\.(?:day|month|year|per|causes)|code\.(?:made|renewed|rotated)|page\.themes|form\.presetNames|key\.overlaps|preview\.leadOf|leave\.(?:code|typed)|accounts\.(?:roles|roleMeans|makeIt|roleTitle))\b/

test('nothing is written down that the page does not say', () => {
  const source = sources.join('\n')
  const unsaid = leaves(en)
    .map(([path]) => path)
    .filter((path) => !byName.test(path) && !new RegExp(`\\bt\\.${path.replaceAll('.', '\\.')}\\b`).test(source))
  assert.deepEqual(unsaid, [])
})

test('the page says nothing in a language of its own', () => {
  const said = sources.flatMap((source) =>
    [...source.matchAll(/>\s*([A-Z][a-z]+ ?[a-z ]*)\s*<\//g)]
      .map(([, text]) => text)
      .filter((text) => text !== undefined && text !== 'Vitrine'),
  )
  assert.deepEqual(said, [])
})

test('the form of a key has a box for every permission', () => {
  const form = readFileSync(join(folder, 'key-form.tsx'), 'utf8')
  for (const { name, group = '' } of permissionWords)
    assert.ok(isGate(name) ? form.includes(`'${name}'`) : Object.hasOwn(en.form.groups, group), name)
})
