// Code that service and page share: escaped HTML, highlighted code, search, and the targets of requests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerHtml } from '../../../../src/web/docs/browser/answer-html.ts'
import { errors, missingPermission } from '../../../../src/errors.ts'
import { indentJson } from '../../../../src/web/docs/browser/indent-json.ts'
import { highlight } from '../../../../src/web/docs/browser/highlight.ts'
import { html } from '../../../../src/web/page/browser/html.ts'
import { search, type SearchEntry } from '../../../../src/web/docs/browser/search.ts'
import { texts as en } from '../../../../src/web/docs/browser/texts-en.ts'
import { texts as fr } from '../../../../src/web/docs/browser/texts-fr.ts'
import { targetOf } from '../../../../src/web/docs/browser/target.ts'

test('HTML: values are escaped, HTML is not, false and undefined are empty', () => {
  const inner = html`<i>${'<&>'}</i>`
  assert.equal(
    html`<b title="${`"'`}">${inner}${[1, inner, false, undefined, 'x']}</b>`.text,
    ['<b title="&quot;&#39;"><i>&lt;&amp;&gt;</i>1<i>&lt;&amp;&gt;</i>x</b>'].join(''),
  )
})

test('HTML: the indentation of a template goes, that of a value stays', () => {
  const template = Object.assign(['<p>\n    ', '\n  </p>'], { raw: [] })
  assert.equal(html(template, 'a\n    b').text, '<p>\na\n    b\n</p>')
})

const plain = (text: string) =>
  text
    .replaceAll(/<\/?span[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

for (const [language, code] of [
  ['json', '{"a": "x \\" y", "n": -1.5e3, "t": true, "z": null, "<script>": "</script>"}'],
  ['ts', "const a = `x ${b}` // <script>alert('1')</script>\nreturn 12"],
  ['python', 'def f(x):  # it\'s\n    return f"{x}" or None'],
  ['sh', 'curl -s "$BASE/x?a=1&b=2" # why not'],
  ['csharp', 'var x = "a"; // <b>\nforeach (var y in x) return;'],
  ['php', "<?php // <b>\necho \"{$x['a']} \\n\", 'b';"],
  ['powerquery', 'let a = "x ""<b>""" & Text.From(1) // why\nin each [a] > 1'],
  ['nothing', 'a <b> & "c"'],
] as const)
  test(`marked code has every character, and no tag of its own: ${language}`, () => {
    const { text } = highlight(code, language)
    assert.equal(plain(text), code)
    assert.doesNotMatch(text.replaceAll(/<\/?span(?: class="[a-z]+")?>/g, ''), /[<>"']/)
  })

const quote = (name: string) => `&quot;${name}&quot;`

test('marked code: names, texts, numbers and words of JSON', () => {
  const { text } = highlight('{"a": "b", "c": 1, "d": null}', 'json')
  const marks = [...text.matchAll(/class="(\w+)">([^<]*)</g)].map((found) => found.slice(1, 3).join(' '))
  assert.deepEqual(marks, [
    `name ${quote('a')}`,
    `text ${quote('b')}`,
    `name ${quote('c')}`,
    'number 1',
    `name ${quote('d')}`,
    'word null',
  ])
})

const entry = (title: string, kind: string, place: string, text = ''): SearchEntry => ({
  title,
  kind,
  place,
  text,
  id: `${place}-${title}`,
})
const entries = [
  entry('Invoices', 'resource', 'Invoices', 'Sales'),
  entry('updated_at', 'field', 'Products'),
  entry('updated_at', 'field', 'Invoices'),
  entry('updated_since', 'parameter', 'Invoices'),
  entry('Why the overlap', 'guide', 'Synchronising', 'updated_since is inclusive, equal seconds'),
  entry('rate_limited', 'error', 'Error codes', 'Too many requests'),
]
const found = (query: string, here = '') => search(entries, query, here).map(({ entry: { id } }) => id)

test('search: exact before the beginning before the middle before the text', () => {
  assert.deepEqual(found('invoices')[0], 'Invoices-Invoices')
  assert.deepEqual(found('updated_since'), ['Invoices-updated_since', 'Synchronising-Why the overlap'])
  assert.deepEqual(found('limited'), ['Error codes-rate_limited'])
  assert.deepEqual(found('EQUAL seconds'), ['Synchronising-Why the overlap'])
})

test('search: without accents, and a short word says nothing about the place', () => {
  const french = [
    entry('per_page', 'parameter', 'Devis', 'Taille de page'),
    entry('per_page', 'parameter', 'Produits', 'Taille de page'),
    entry('Réponses', 'guide', 'Erreurs', 'La requête'),
  ]
  assert.equal(search(french, 'taille de page', 'Produits')[0]?.entry.place, 'Produits')
  for (const query of ['reponses', 'RÉPONSES', 'requete', 'requête'])
    assert.equal(search(french, query, '')[0]?.entry.title, 'Réponses', query)
})

test('search: every word must be there, or as many as there are anywhere; nothing finds nothing', () => {
  assert.deepEqual(found('invoices updated_at'), ['Invoices-updated_at'])
  assert.deepEqual(found('why limited requests'), ['Error codes-rate_limited'])
  assert.deepEqual(found('nonsense qqqq'), [])
  assert.deepEqual(found('   '), [])
})

test('search: equal entries are found once, in the current article', () => {
  const [first] = search(entries, 'updated_at', 'Invoices')
  assert.deepEqual([first?.entry.place, first?.others], ['Invoices', 1])
  assert.equal(search(entries, 'updated_at', 'Stores')[0]?.entry.place, 'Products')
})

test('targets: empty values are not sent, several values become one, an id goes into the path', () => {
  assert.equal(targetOf('/x', []), '/x')
  assert.equal(
    targetOf('/x', [
      ['a', ''],
      ['t', 'one'],
      ['t', 'two'],
      ['s', 'é & ü'],
    ]),
    '/x?t=one,two&s=%C3%A9%20%26%20%C3%BC',
  )
  assert.equal(targetOf('/x/{id}', [['id', '1/2']]), '/x/1%2F2')
  assert.equal(targetOf('/x/{id}', [['id', '']]), '/x/{id}')
})

test('an answer is shown escaped, with its pages', () => {
  const shown = { status: 200, statusText: '', milliseconds: 1.4, headers: [['X-Total-Count', '<3>']] as const }
  const list = answerHtml({ ...shown, text: '{"data":["<script>"],"meta":{"page":2,"total_pages":3}}' }, en).text
  assert.doesNotMatch(list, /<script>|<3>/)
  assert.match(list, /data-page="1"\s*>\s*Previous.*data-page="3"\s*>\s*Next.*Page 2 of 3/s)
  const only = answerHtml({ ...shown, text: '{"data":[1],"meta":{"page":1,"total_pages":1}}' }, en).text
  assert.equal(only.match(/ disabled/g)?.length, 2)
  const empty = answerHtml({ ...shown, text: '{"data":[],"meta":{"page":1,"total_pages":0}}' }, en).text
  assert.doesNotMatch(empty, /class="pages"/)
  const beyond = answerHtml({ ...shown, text: '{"data":[],"meta":{"page":9,"total_pages":3}}' }, en).text
  assert.match(beyond, /data-page="3"\s*>\s*Previous.*disabled.*Page 9 of 3/s)
  assert.match(answerHtml({ ...shown, status: 502, text: '<html>' }, en).text, /&lt;html&gt;/)
})

test('an answer keeps every digit', () => {
  const text = '{"data":{"total":123456789012345678901234567890,"rate":1e400}}'
  const shown = { status: 200, statusText: '', milliseconds: 1, headers: [], text }
  assert.match(plain(answerHtml(shown, en).text), /"total": 123456789012345678901234567890,\n *"rate": 1e400\n/)
})

test('an error is said in the language of the page; its details are marked as English', () => {
  const details = [{ parameter: 'id', message: '"x" is not a whole number.' }]
  const shown = { status: 400, statusText: '', milliseconds: 1, headers: [] }
  for (const [message, french] of [
    [errors.invalid_parameter.message, 'Un ou plusieurs paramètres ne sont pas valables'],
    ['There is no such record.', 'Cet enregistrement n’existe pas.'],
    [missingPermission('invoices:read'), 'Le jeton n’a pas le droit invoices:read.'],
  ] as const) {
    const { text } = answerHtml({ ...shown, text: JSON.stringify({ error: { message, details } }) }, fr)
    assert.ok(text.includes(`<p>${french}`), text)
    assert.match(text, /<ul lang="en">\s*<li><code>id<\/code> &quot;x&quot; is not/)
  }
})

for (const value of [
  {},
  [],
  null,
  0,
  '',
  { a: [] },
  [{}, [[]], { b: { c: [1, 'x, {y: "z"} \\', null, true] } }],
  { 'a:b,[{"': '\\"' },
])
  test(`JSON is indented like JSON.stringify does it: ${JSON.stringify(value)}`, () => {
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, '\t')])
      assert.equal(indentJson(text), JSON.stringify(value, null, 2))
  })

test('counts are in the right number', () => {
  assert.match(en.signedIn(1), / 1 resource\.$/)
  assert.match(en.signedIn(2), / 2 resources\.$/)
  assert.match(fr.signedIn(1), /1 ressource\.$/)
  assert.match(fr.signedIn(2), /2 ressources\.$/)
  assert.deepEqual([fr.moreResources(1), fr.moreResources(2)], [' et 1 autre', ' et 2 autres'])
})
