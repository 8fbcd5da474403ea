// Code that service and page share: escaped HTML, highlighted code, search, and the targets of requests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerHtml } from '../../../../src/web/docs/browser/answer-html.ts'
import { highlight } from '../../../../src/web/docs/browser/highlight.ts'
import { html } from '../../../../src/web/page/browser/html.ts'
import { search, type SearchEntry } from '../../../../src/web/docs/browser/search.ts'
import { texts as en } from '../../../../src/web/docs/browser/texts-en.ts'
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

test('search: every word must be there; nothing finds nothing', () => {
  assert.deepEqual(found('invoices updated_at'), ['Invoices-updated_at'])
  assert.deepEqual(found('invoices nonsense'), [])
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
  assert.match(list, /data-page="1"\s*>\s*Previous.*Page 2 of 3.*data-page="3"\s*>\s*Next/s)
  const last = answerHtml({ ...shown, text: '{"data":[],"meta":{"page":1,"total_pages":0}}' }, en).text
  assert.equal(last.match(/ disabled/g)?.length, 2)
  assert.match(answerHtml({ ...shown, status: 502, text: '<html>' }, en).text, /&lt;html&gt;/)
})
