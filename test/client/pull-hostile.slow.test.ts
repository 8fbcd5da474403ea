// `vitrine pull` trusts neither the service nor the folder: names that the specification could not have are refused, links are not
// followed, what it makes is for its user alone, and no text becomes a formula of a spreadsheet.
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, suite, test } from 'node:test'
import type { ResourceDescription } from '../../client/client.ts'
import { checkFields, checkNames, Refused } from '../../client/pull/store.ts'
import { permissions } from '../../src/catalogue/permissions.ts'
import { describeResources } from '../../src/describe/resources.ts'
import { described, field, listOf, startOtherService, type OtherService } from '../support/other-service.ts'

const asDescriptions = (given: unknown) => given as readonly ResourceDescription[]
const named = (count: number) =>
  asDescriptions(Array.from({ length: count }, (_, at) => ({ name: `a${at}`, fields: [] })))
const items = (...fields: object[]) => field('lines', 'array', { in: 'detail', items: fields })

suite('names in /resources', () => {
  test('all that the service itself says is taken', () => {
    const all = asDescriptions(describeResources({ permissions, stores: null, priceList: null }, '/api/v1'))
    assert.ok(all.length > 10)
    assert.doesNotThrow(() => checkNames(all).forEach(checkFields))
  })

  const long = 'a'.repeat(65)
  for (const name of [
    '',
    '..',
    '/x',
    'a/b',
    'Stores',
    'price_lists',
    'a--b',
    '-a',
    'a-',
    'a b',
    'ä',
    'a\0',
    long,
    null,
    7,
    {},
  ])
    test(`no resource is called ${JSON.stringify(name)}`, () =>
      assert.throws(() => checkNames(asDescriptions([{ name, fields: [] }])), Refused))

  const wrongFields: Readonly<Record<string, readonly unknown[]>> = {
    'a way out of the folder': [items(field('id')), field('/../../x', 'array', { items: [] })],
    'a heading of several cells': [field('a,b')],
    'a formula': [field('=x')],
    'an SQL identifier with a quote': [field('a"b')],
    'upper case': [field('Name')],
    hyphens: [field('a-b')],
    'a long name': [field(long)],
    'no name': [field(null as unknown as string)],
    'a type that is SQL': [field('a', 'TEXT, b TEXT')],
    'the same name twice': [field('a'), field('a')],
    'an item with a wrong name': [items(field('../x'))],
    'an item with the name of the column for its record': [items(field('store_id'))],
    'an item with the name of the column for its place': [items(field('position'))],
    'an item twice': [items(field('a'), field('a'))],
    'items that are no list': [field('a', 'array', { items: 'abc' })],
    'a field that is nothing': [null],
    'more fields than any record has': Array.from({ length: 501 }, (_, at) => field(`a${at}`)),
  }
  for (const [what, fields] of Object.entries(wrongFields))
    test(`a field is refused: ${what}`, () =>
      assert.throws(() => asDescriptions([{ name: 'stores', fields }]).forEach(checkFields), Refused))

  test('resources are refused: the same one twice, and too many of them', () => {
    assert.throws(() => checkNames([...named(2), ...named(1)]), Refused)
    assert.throws(() => checkNames(named(201)), Refused)
    assert.doesNotThrow(() => checkNames(named(200)))
  })
})

const store = (more: object = {}) => ({ id: 1, name: 'Centre', ...more })
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

suite('pull from a hostile service', () => {
  let service: OtherService
  let fields: readonly object[] = []
  let record = store()
  before(async () => {
    service = await startOtherService((path) => {
      if (path === '/resources') return { body: { data: [described('stores', field('name'), ...fields)] } }
      return path === '/stores' ? listOf([record]) : undefined
    })
  })
  after(() => service.close())

  test('an array whose name leads out of the folder: one sentence, and nothing is written anywhere', async () => {
    fields = [field('/../../x', 'array', { items: [field('a')] })]
    for (const format of ['csv', 'ndjson']) {
      const { status, stdout, stderr } = await service.pull('--to', 'a/b', '--format', format)
      assert.deepEqual(
        [status, stdout, stderr],
        [
          1,
          '',
          'vitrine: The service names a field "/../../x" of stores: no version of Vitrine does so, and nothing of it is stored.\n',
        ],
      )
    }
    assert.deepEqual(readdirSync(join(service.folder, 'a', 'b')), ['.vitrine'])
    assert.deepEqual(readdirSync(service.folder).toSorted(), ['a', 'cert.pem'])
    fields = []
  })

  test('a mirror that has such names is neither used nor deleted from', async () => {
    fields = [field('lines', 'array', { items: [field('a')] })]
    assert.equal((await service.pull('--to', 'old', '--format', 'csv')).status, 0)
    const database = new DatabaseSync(join(service.folder, 'old', '.vitrine', 'mirror.db'))
    database.exec(
      `UPDATE _pull_resources SET description = '{"name":"stores","fields":[{"name":"/../../victim","items":[]}]}'`,
    )
    database.close()
    writeFileSync(join(service.folder, 'victim.csv'), 'kept')
    const { status, stderr } = await service.pull('--to', 'old', '--format', 'csv')
    assert.deepEqual([status, /^vitrine: The mirror contains names that no .*--to\.$/m.test(stderr)], [1, true], stderr)
    assert.equal(readFileSync(join(service.folder, 'victim.csv'), 'utf8'), 'kept')
    fields = []
  })

  test('it asks for the paths it knows, whatever paths are named', async () => {
    fields = []
    service.asked.length = 0
    const other = await startOtherService((path) =>
      path === '/resources'
        ? { body: { data: [{ ...described('stores'), path: 'https://127.0.0.1:1/elsewhere' }] } }
        : undefined,
    )
    try {
      assert.equal((await other.pull('--to', 'paths')).status, 0)
      assert.deepEqual([...new Set(other.asked)].toSorted(), ['/auth/revoke', '/auth/token', '/resources', '/stores'])
    } finally {
      other.close()
    }
  })

  test('links in the place of files are replaced, not followed; a draft of a killed run goes', async () => {
    const folder = join(service.folder, 'linked')
    mkdirSync(folder)
    const victim = join(service.folder, 'victim')
    writeFileSync(victim, 'kept')
    for (const name of ['stores.csv', 'stores.csv.part']) symlinkSync(victim, join(folder, name))
    assert.equal((await service.pull('--to', folder, '--format', 'csv')).status, 0)
    assert.equal(readFileSync(victim, 'utf8'), 'kept')
    assert.ok(lstatSync(join(folder, 'stores.csv')).isFile())
    assert.equal(readFileSync(join(folder, 'stores.csv'), 'utf8'), 'id,name\r\n1,Centre\r\n')
    writeFileSync(join(folder, 'stores.csv.part'), 'half of a fi')
    assert.equal((await service.pull('--to', folder, '--anew')).status, 0)
    assert.deepEqual(readdirSync(folder).toSorted(), ['.vitrine', 'stores.csv'])
  })

  test('a folder of its own that is a link is refused', async () => {
    const [folder, target] = [join(service.folder, 'led'), join(service.folder, 'led-target')]
    for (const each of [folder, target]) mkdirSync(each)
    symlinkSync(target, join(folder, '.vitrine'))
    const { status, stderr } = await service.pull('--to', folder)
    assert.match(stderr, /^vitrine: .*\.vitrine is a link: remove it, or name another folder with --to\.\n$/)
    assert.deepEqual([status, readdirSync(target)], [1, []])
  })

  test('a database, or its lock, that is a link is refused', async () => {
    for (const [place, link] of [
      ['new.db', 'new.db'],
      ['locked.db', 'locked.db.lock'],
      ['inside', 'inside/.vitrine/mirror.db'],
    ] as const) {
      const path = join(service.folder, link)
      mkdirSync(dirname(path), { recursive: true })
      const target = join(service.folder, `${place}-target`)
      symlinkSync(target, path)
      const { status, stderr } = await service.pull('--to', place)
      assert.match(stderr, /^vitrine: .* is a link: name the file that it leads to with --to, or remove it\.\n$/)
      assert.deepEqual([status, existsSync(target)], [1, false])
    }
  })

  test('what it makes is for its user alone, and stays as the user has opened it', async () => {
    const old = process.umask(0o022)
    try {
      assert.equal((await service.pull('--to', 'made/files', '--format', 'csv')).status, 0)
      assert.equal((await service.pull('--to', 'made.db')).status, 0)
    } finally {
      process.umask(old)
    }
    const at = (...names: string[]) => join(service.folder, 'made', 'files', ...names)
    for (const folder of [at('..'), at(), at('.vitrine')]) assert.equal(modeOf(folder), '700', folder)
    const files = [at('stores.csv'), ...readdirSync(at('.vitrine')).map((name) => at('.vitrine', name))]
    for (const file of [...files, join(service.folder, 'made.db'), join(service.folder, 'made.db.lock')])
      assert.equal(modeOf(file), '600', file)
    chmodSync(at(), 0o750)
    chmodSync(at('stores.csv'), 0o640)
    record = store({ name: 'Other' })
    assert.equal((await service.pull('--to', 'made/files', '--format', 'csv')).status, 0)
    assert.match(readFileSync(at('stores.csv'), 'utf8'), /Other/)
    assert.deepEqual([modeOf(at()), modeOf(at('stores.csv'))], ['750', '640'])
  })

  test('CSV: no text begins like a formula, numbers stay numbers; --raw-text writes texts as they are', async () => {
    const texts = ['=HYPERLINK("https://x.example","y")', '+1', '-1', '@x', '\tx', '\rx', 'a=b', "'quoted", '']
    fields = [field('amount', 'number'), ...texts.map((_, at) => field(`t${at}`))]
    record = store({ name: 'A', amount: -5, ...Object.fromEntries(texts.map((text, at) => [`t${at}`, text])) })
    const read = async (...words: string[]) => {
      const { status, stderr } = await service.pull('--to', 'formulas', ...words)
      assert.equal(status, 0, stderr)
      return readFileSync(join(service.folder, 'formulas', 'stores.csv'), 'utf8').replace(/^.*\r\n/, '')
    }
    const guarded = `1,A,-5,"'=HYPERLINK(""https://x.example"",""y"")",'+1,'-1,'@x,'\tx,"'\rx",a=b,'quoted,""\r\n`
    const raw = `1,A,-5,"=HYPERLINK(""https://x.example"",""y"")",+1,-1,@x,"\tx","\rx",a=b,'quoted,""\r\n`
    assert.equal(await read('--format', 'csv'), guarded)
    assert.equal(await read('--format', 'csv', '--raw-text', '--anew'), raw)
    assert.equal(await read('--format', 'csv', '--anew'), guarded)
    const { status, stderr } = await service.pull('--to', 'formulas', '--raw-text')
    assert.deepEqual([status, stderr], [2, 'vitrine: --raw-text requires --format csv.\n'])
    fields = []
  })
})
