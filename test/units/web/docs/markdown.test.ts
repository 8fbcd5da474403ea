// The Markdown of the guides: every kind that the page can show comes out right and escaped; any other is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slug, writeMarkdown } from '../../../../src/web/docs/markdown.ts'
import { texts as en } from '../../../../src/web/docs/browser/texts-en.ts'

const tight = (text: string) => text.replaceAll(/\s+/g, ' ').replaceAll('> <', '><').trim()
const write = (body: string) => tight(writeMarkdown(`# Title\n\n${body}`, 'guide', en).html.text)

const right: readonly [name: string, markdown: string, expected: string][] = [
  ['a paragraph of two lines', 'one\ntwo\n\nthree', '<p>one two</p><p>three</p>'],
  ['code, bold and emphasis', '`a*b` **c** *d*', '<p><code>a*b</code><strong>c</strong><em>d</em></p>'],
  ['code within bold', '**the `id`**', '<p><strong>the <code>id</code></strong></p>'],
  ['a link to another guide', '[x](paging.md)', '<p><a href="#paging">x</a></p>'],
  ['a link to a part of it', '[x](paging.md#the-pages)', '<p><a href="#paging-the-pages">x</a></p>'],
  ['a list', '- one\n- two', '<ul><li>one</li><li>two</li></ul>'],
  ['a list with stars', '* one\n* two', '<ul><li>one</li><li>two</li></ul>'],
  ['a numbered list', '1. one\n2. two', '<ol><li>one</li><li>two</li></ol>'],
  ['everything is escaped', `a & b "c" 'd'`, '<p>a &amp; b &quot;c&quot; &#39;d&#39;</p>'],
  ['… in code', '`<b>&`', '<p><code>&lt;b&gt;&amp;</code></p>'],
  ['a third heading', '### Here *and* there', '<h3 id="guide-here-and-there">Here <em>and</em> there</h3>'],
  ['escaped marks are text', '\\<b> \\*c\\*', '<p>&lt;b&gt; *c*</p>'],
  ['an entity is text', '&lt;b&gt;', '<p>&amp;lt;b&amp;gt;</p>'],
  ['stars alone are stars', '2 * 3 * 4', '<p>2 * 3 * 4</p>'],
]
for (const [name, markdown, expected] of right) test(`written: ${name}`, () => assert.equal(write(markdown), expected))

test('written: a second heading opens a part that is found by its name', () => {
  const text = write('before\n\n## Your `x` & more\n\nafter')
  assert.match(
    text,
    /^<p>before<\/p><section id="guide-your-x--more" data-find="Your x &amp; more" data-kind="guide"><h2>/,
  )
  assert.match(text, /<p>after<\/p><\/section>$/)
})

test('written: a table, with an escaped bar within code', () => {
  const text = write('| a | b |\n|---|---|\n| `x\\|y` | **z** |')
  assert.match(text, /<th scope="col">a<\/th><th scope="col">b<\/th>/)
  assert.match(text, /<td><code>x\|y<\/code><\/td><td><strong>z<\/strong><\/td>/)
})

test('written: fenced code keeps every character, and has its language', () => {
  const code = 'const a = "<b>" // *no* `markdown`\n\n  | not | a table |\n# no heading'
  const text = writeMarkdown(`# T\n\n\`\`\`ts\n${code}\n\`\`\``, 'guide', en).html.text
  assert.match(text, /TypeScript/)
  const shown = /<code>(.*)<\/code>/s
    .exec(text)?.[1]
    ?.replaceAll(/<\/?span[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
  assert.equal(shown, code)
})

test('the title, and the headings with their ids', () => {
  const { title, headings } = writeMarkdown('# The `title`\n\n## C#\n\n### What is it?', 'guide', en)
  assert.equal(title, 'The title')
  assert.deepEqual(headings, [
    { level: 2, text: 'C#', id: 'guide-c' },
    { level: 3, text: 'What is it?', id: 'guide-what-is-it' },
  ])
  assert.equal(slug('Équipe, 2 fois'), 'équipe-2-fois')
})

const refused: readonly [name: string, markdown: string][] = [
  ['a quotation', '> said'],
  ['HTML', '<b>bold</b>'],
  ['HTML within a line', 'so <b>bold</b>'],
  ['a list within a list', '- one\n  - two'],
  ['an indented line', '    code'],
  ['a fourth heading', '#### deep'],
  ['a line', '---'],
  ['a picture', '![x](paging.md)'],
  ['a bare address', 'see https://example.com'],
  ['an address in angle brackets', '<https://example.com>'],
  ['a struck text', '~~old~~'],
  ['a forced line break', 'one  \ntwo'],
  ['a task', '- [ ] one'],
  ['a link to elsewhere', '[x](https://example.com)'],
  ['a link to a script', '[x](javascript:alert)'],
  ['code without a language', '```\nx\n```'],
  ['code without an end', '```sh\nx'],
  ['code within a line without an end', 'a ` b'],
  ['bold without an end', 'a ** b'],
  ['a bar within code that is not escaped', '| a |\n|---|\n| `x|y` |'],
  ['a row of another length', '| a | b |\n|---|---|\n| c |'],
  ['a table without its dashes', '| a |\n| b |'],
  ['a second title', '# Again'],
]
for (const [name, markdown] of refused)
  test(`refused: ${name}`, () => assert.throws(() => write(markdown), /^Error: Markdown, line \d+: /))

test('refused: no title', () => assert.throws(() => writeMarkdown('text', 'guide', en), /no title/))
