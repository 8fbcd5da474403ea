// The documentation names everything there is: a setting, a command or a recipe that is missing fails here.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { permissions } from '../src/catalogue/access.ts'
import { resources } from '../src/catalogue/resources/index.ts'
import { guideNames } from '../src/web/docs/guides.ts'
import { languages } from '../src/web/docs/languages.ts'
import { errors } from '../src/errors.ts'
import { limits as queryLimits } from '../src/query/limits.ts'
import { limits as stateLimits } from '../src/state/limits.ts'
import { findingKinds } from '../src/operate/check/finding.ts'

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const readme = read('README.md')

test('every link of a document to another file leads to one', () => {
  const documents = [
    '.',
    'docs',
    'docs/integrate',
    'docs/integrate/fr',
    'docs/reference',
    'docs/operate',
    'bench',
    'client',
  ]
    .flatMap((folder) =>
      existsSync(join(root, folder)) ? readdirSync(join(root, folder)).map((name) => join(folder, name)) : [],
    )
    .filter((name) => name.endsWith('.md'))
  assert(documents.length > 15)
  for (const name of documents)
    for (const [, to = ''] of read(name).matchAll(/\]\(([^)#\s]+)[^)]*\)/g))
      if (!/^(https?:|mailto:|\/)/.test(to)) assert(existsSync(join(root, name, '..', to)), `${name} links to ${to}`)
})

test('README.md is short, and leads to the five documents one needs next', () => {
  assert(readme.split(/\s+/).length < 700)
  const next = [...(readme.split('## Read on')[1] ?? '').matchAll(/^\d\. \[/gm)]
  assert.equal(next.length, 5)
})

test('every file and folder that the documents name in backquotes is there', () => {
  for (const name of ['docs/security.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md']) {
    const paths = [...read(name).matchAll(/`((?:src|test|bin|demo)\/[\w.*/-]+)`/g)].map((found) => found[1] ?? '')
    assert(paths.length > 5)
    for (const path of paths) assert(globSync(path, { cwd: root }).length > 0, `${name} names ${path}`)
  }
})

test('docs/connect-your-pos.md shows the example as it stands in its files', () => {
  const files = ['caisse', 'views-caisse'].map((name) => read(`docs/connect/${name}.sql`))
  const blocks = [...read('docs/connect-your-pos.md').matchAll(/```sql\n([^]*?)```/g)].map((found) => found[1] ?? '')
  const shown = blocks.filter((block) => /^(--|CREATE VIEW)/.test(block))
  assert(shown.length > 2)
  for (const block of shown)
    assert(
      files.some((file) => file.includes(block.trimEnd())),
      block,
    )
})

test('docs/copy.md shows the views of Boutik as they stand in their file', () => {
  const table = read('docs/copy.md').split('## A worked example: Boutik')[1]?.split('\n## ')[0] ?? ''
  const views = read('docs/connect/views-boutik.sql')
  const shown = [...table.matchAll(/`([^`]+)`/g)].map((found) => found[1] ?? '').filter((code) => /[ (] ?\S/.test(code))
  const sql = shown.filter((code) => !code.startsWith('npx '))
  assert(sql.length > 15)
  for (const code of sql) assert(views.includes(code), code)
})

test('docs/check.md explains every finding of the doctor with its severity, and no other', () => {
  assert.deepEqual(
    Object.fromEntries(rowsOf(read('docs/check.md'))),
    Object.fromEntries(Object.entries(findingKinds).map(([code, { severity }]) => [code, severity])),
  )
})

const otherLanguages = Object.keys(languages).filter((language) => language !== 'en')
const guide = (name: (typeof guideNames)[number], language = '.') =>
  read(join('docs/integrate', language, `${name}.md`))
// The first two cells of the rows of a table that begin with code.
const rowsOf = (text: string) =>
  [...text.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)].map(([, name = '', cell = '']) => [name, cell.trim()] as const)

const filesIn = (folder: string) =>
  readdirSync(join(root, 'docs', 'integrate', folder)).map((name) => name.replace(/\.md$/, ''))

test('guides: every file of docs/integrate is one, and no other is named', () => {
  assert.deepEqual(filesIn('.').toSorted(), [...guideNames, ...otherLanguages].toSorted())
  for (const language of otherLanguages) assert.deepEqual(filesIn(language).toSorted(), [...guideNames].toSorted())
})

// What a translation keeps: levels of headings, code, first cells with code, links, and the number of paragraphs and items.
const skeleton = (text: string) => {
  const prose = text.replaceAll(/^```[^]*?^```$/gm, '')
  return {
    headings: [...prose.matchAll(/^#+(?= )/gm)].map(([level]) => level),
    samples: [...text.matchAll(/^```[^]*?^```$/gm)].map(([sample]) => sample),
    rows: rowsOf(prose).map(([name]) => name),
    links: [...prose.matchAll(/\]\(([a-z-]+\.md)/g)].map(([, to = '']) => to).toSorted(),
    blocks: prose.split(/\n+/).filter(Boolean).length,
  }
}

for (const language of otherLanguages)
  for (const name of guideNames)
    test(`guides: ${name} has the same parts and samples in ${language}, and other words`, () => {
      assert.deepEqual(skeleton(guide(name, language)), skeleton(guide(name)))
      const [own, english] = [guide(name, language), guide(name)].map((text) =>
        text
          .replaceAll(/^```[^]*?^```$/gm, '')
          .split('\n')
          .filter((line) => line.length > 60 && !line.startsWith('|')),
      )
      assert.deepEqual(
        own?.filter((line) => english?.includes(line)),
        [],
      )
    })

test('guides: errors names every code with its status, in every language', () => {
  for (const language of ['.', ...otherLanguages])
    assert.deepEqual(
      Object.fromEntries(rowsOf(guide('errors', language))),
      Object.fromEntries(Object.entries(errors).map(([code, { status }]) => [code, String(status)])),
    )
})

test('guides: restrictions names every permission with the resources that it opens', () => {
  const rows = rowsOf(guide('restrictions'))
  assert.deepEqual(
    rows.map(([name]) => name),
    permissions,
  )
  for (const { name, permission } of resources)
    assert.match(rows.find(([own]) => own === permission)?.[1] ?? '', new RegExp(`(^|\\W)${name}(\\W|$)`))
})

test('guides: limits tells the limits that there are', () => {
  const text = guide('limits')
  const told: readonly (string | number)[] = [
    `${stateLimits.tokenRequests} a minute and address`,
    `${stateLimits.tokenLifetimeMs / 1000} seconds`,
    `${stateLimits.failuresOfKey} with one key`,
    `${stateLimits.failuresOfAddress} from one address`,
    `${stateLimits.blockMs / 60_000} minutes`,
    `1 to ${queryLimits.page}`,
    `1 to ${queryLimits.perPage}, ${queryLimits.perPageDefault} if left out`,
    `${queryLimits.sortFields} fields`,
    `${queryLimits.search.least} to ${queryLimits.search.most} characters`,
  ]
  for (const each of told) assert.ok(text.includes(String(each)), String(each))
})

test('guides: synchronising names the resources that have no updated_at, and those whose status has no "all"', () => {
  const text = guide('synchronising')
  const untimed = resources.filter(({ fields }) => !fields.some(({ name }) => name === 'updated_at'))
  const line = text.split('\n').find((each) => each.includes('have no `updated_at`')) ?? ''
  for (const { name } of untimed) assert.ok(line.includes(`\`${name}\``), name)
  assert.equal([...line.matchAll(/`[a-z-]+`/g)].length, untimed.length)
  const statuses = resources.flatMap(({ name, filters }) =>
    filters.flatMap((filter) => (filter.kind === 'status' && !filter.all ? [name] : [])),
  )
  const last = text.trimEnd().split('\n').at(-1) ?? ''
  assert.deepEqual(
    [...(last.split('have no')[0] ?? '').matchAll(/`([a-z-]+)`/g)].map((found) => found[1]),
    statuses,
  )
})

test('specification-notes.md: each note has an id of its own, which a title in the file it names carries', () => {
  const lines = read('docs/specification-notes.md').split('\n- ').slice(1)
  const notes = lines.map((line) => /^\*\*(N\d+)\*\* · (test\/\S+) · \S/.exec(line) ?? assert.fail(line))
  const ids = notes.map(([, id]) => id)
  assert.equal(new Set(ids).size, ids.length)
  const idsIn = (path: string) => [...read(path).matchAll(/\[(N\d+)\]/g)].map(([, id]) => id)
  for (const [, id, path = ''] of notes) assert(idsIn(path).includes(id), `${path} has no title with [${id}]`)
  for (const path of globSync('test/**/*.test.ts', { cwd: root }))
    for (const id of idsIn(path)) assert(ids.includes(id), `${path}: no note is ${id}`)
})
