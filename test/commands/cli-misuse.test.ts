// The command line used wrongly: a clear sentence for each thing that is wrong, all at once, exit status 2, nothing on
// stdout, nothing changed.
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makePos } from '../support/pos.ts'
import { snapshot, temporaryFolder } from '../support/process.ts'
import { makeKey, runCommand, type Settings } from '../support/run-command.ts'

const root = temporaryFolder()
const prepared = join(root, 'prepared')
const data = join(prepared, 'data')
let key = ''
let revoked = ''
before(async () => {
  mkdirSync(data, { recursive: true })
  makePos(join(data, 'pos.db'), {})
  writeFileSync(join(prepared, 'letter'), 'no folder')
  writeFileSync(join(prepared, 'broken'), 'VITRINE_PORT=1\nVITRINE_PROT=2\nnonsense\nVITRINE_PORT=3\n')
  const newKey = async () =>
    (await makeKey(['--name', 'Test', '--permissions', 'all'], { VITRINE_DATA_DIR: data })).client_id
  key = await newKey()
  revoked = await newKey()
  await runCommand(['keys', 'revoke', revoked], { VITRINE_DATA_DIR: data })
})
after(() => rmSync(root, { recursive: true }))

interface Misuse {
  /** KEY and REVOKED stand for keys that are there. */
  readonly words: string
  readonly says: readonly RegExp[]
  readonly settings?: Settings
}

const misuses: readonly Misuse[] = [
  { words: '', says: [/command is missing: serve, .*keys create.*config/] },
  { words: 'sreve', says: [/sreve.*did you mean "?serve"?\?/i] },
  { words: 'frobnicate', says: [/frobnicate/] },
  { words: 'keys', says: [/"keys" needs.*keys create/] },
  {
    words: 'serve --port 9000 --colour',
    says: [/--port is not an option of "serve"/, /--colour is not an option of "serve"/],
  },
  { words: 'keys create', says: [/--name/, /--permissions/] },
  { words: 'keys create --permissions nope:read', says: [/--name/, /no permission "nope:read"/] },
  {
    words: 'keys create --name Test --permissions products:raed,nope,all --stores 1,x --price-list 0 --rate 1.5',
    says: [
      /"products:raed".*did you mean products:read\?/i,
      /"nope".*products:read, .*customers:financial/,
      /"all"/,
      /stores.*"1,x"/i,
      /price list.*"0"/i,
      /rate "1\.5".*from 1 to/i,
    ],
  },
  { words: 'keys create --name A --name B --permissions all', says: [/--name is given more than once/] },
  {
    words: 'keys create --name A',
    says: [/"keys create" needs --permissions a,b\|all or --preset web-shop\|accountant\|dashboard\./],
  },
  {
    words: 'keys create --name A --preset shop',
    says: [/There is no preset "shop"\. Presets: web-shop, accountant, dashboard\./],
  },
  { words: 'keys create --name A --preset dashboard --permissions all', says: [/--permissions or --preset, not both/] },
  { words: 'keys create --name A --permissions', says: [/--permissions needs a value/] },
  { words: 'keys create --name A --permissions ,', says: [/permission ""/, /permission ""/] },
  { words: 'keys create --nmae A --permissions all --rate 0', says: [/--nmae.*did you mean --name\?/i, /rate "0"/i] },
  { words: 'audit list --act key-created --last 0', says: [/--act "key-created".*"key created"\?/, /--last "0"/] },
  { words: 'keys show', says: [/"keys show" needs KEY/] },
  { words: 'keys show svc_ak_nobody', says: [/no key svc_ak_nobody/] },
  { words: 'keys show KEY KEY', says: [/too much/] },
  { words: 'keys update KEY', says: [/nothing to change/i] },
  { words: 'keys update KEY --rate many --stores -1', says: [/rate "many"/i, /stores.*"-1"/i] },
  { words: 'keys update KEY --enable --disable --rate 0', says: [/--enable or --disable/, /rate "0"/i] },
  { words: 'keys update svc_ak_nobody --rate 5', says: [/no key svc_ak_nobody/] },
  { words: 'keys update svc_ak_nobody --rate 0', says: [/no key svc_ak_nobody/, /rate "0"/i] },
  { words: 'keys update REVOKED --rate 5', says: [/svc_ak_\w+ was revoked/] },
  { words: 'keys regenerate svc_ak_nobody', says: [/no key svc_ak_nobody/] },
  { words: 'keys regenerate REVOKED', says: [/svc_ak_\w+ was revoked/] },
  { words: 'keys revoke svc_ak_nobody', says: [/no key svc_ak_nobody/] },
  { words: 'keys revoke REVOKED', says: [/svc_ak_\w+ was revoked/] },
  { words: 'blocks clear', says: [/"blocks clear" needs ADDRESS/] },
  { words: 'blocks clear 300.1.1.1', says: [/"300\.1\.1\.1" is not an IP address/] },
  { words: 'blocks clear everybody', says: [/"everybody" is not an IP address/] },
  { words: 'schema print --dialect mysql', says: [/--dialect is sqlite or postgres, not "mysql"/] },
  { words: 'demo', says: [/pos\.db.*--force/] },
  { words: 'demo --force --scale 0 --seed x', says: [/--scale .*"0"/, /--seed .*"x"/] },
  { words: 'demo --force --scale 1e3', says: [/--scale .*"1e3"/] },
  { words: 'demo --scale 0', says: [/--scale .*"0"/, /pos\.db.*--force/] },
  { words: 'config --json=yes', says: [/--json takes no value/] },
  { words: 'config --config', says: [/--config needs a value/] },
  { words: 'config --config nowhere', says: [/nowhere does not exist/] },
  {
    words: 'config --config broken',
    says: [
      /broken line 2: VITRINE_PROT .*VITRINE_PORT/,
      /broken line 3 is not NAME=value/,
      /broken line 4: VITRINE_PORT .*line 1/,
    ],
  },
  {
    words: 'keys list',
    settings: { VITRINE_PORT: 'x', VITRINE_READERS: 'y', VITRINE_STATE_URL: 'mysql://a:hunter2@b/c' },
    says: [/VITRINE_PORT is "x"/, /VITRINE_READERS is "y"/, /VITRINE_STATE_URL (?!.*hunter2)/],
  },
  ...['keys list', 'company disable', 'blocks list'].map((words) => ({
    words,
    settings: { VITRINE_STATE_URL: 'sqlite:letter/state.db' },
    says: [/letter/],
  })),
  ...['keys list', 'company disable', 'keys create --name A --permissions all'].map((words) => ({
    words,
    settings: { VITRINE_STATE_URL: 'sqlite:data/pos.db', VITRINE_DATABASE_URL: 'sqlite:other.db' },
    says: [/pos\.db is not a state database/],
  })),
  ...['schema apply', 'demo'].flatMap((words) => [
    { words, settings: { VITRINE_DATABASE_URL: 'sqlite:letter/pos.db' }, says: [/letter/] },
    {
      words: `${words}${words === 'demo' ? ' --force' : ''}`,
      settings: { VITRINE_DATABASE_URL: 'sqlite:data' },
      says: [/data/],
    },
  ]),
  {
    words: 'schema apply',
    settings: { VITRINE_DATABASE_URL: 'sqlite:letter' },
    says: [/letter.*not a SQLite database/],
  },
]

const wordsOf = (text: string) =>
  text
    .split(' ')
    .filter(Boolean)
    .map((word) => (word === 'KEY' ? key : word === 'REVOKED' ? revoked : word))

describe('misuse', { concurrency: 2 }, () => {
  for (const [at, { words, says, settings }] of misuses.entries()) {
    const given = Object.entries(settings ?? {}).map(([name, value]) => `${name}=${value} `)
    test(`${given.join('')}vitrine ${words}: refused in clear sentences, all at once`, async () => {
      const folder = join(root, String(at))
      cpSync(prepared, folder, { recursive: true })
      const before = snapshot(folder)
      const done = await runCommand(wordsOf(words), { VITRINE_DATA_DIR: 'data', ...settings }, folder)
      const lines = done.stderr.trimEnd().split('\n')
      for (const pattern of says)
        assert.ok(
          lines.some((line) => pattern.test(line)),
          `${pattern}: ${done.stderr}`,
        )
      assert.equal(lines.length, says.length, done.stderr)
      for (const line of lines) {
        assert.match(line, /^vitrine: \S.*[.?]$/)
        assert.doesNotMatch(line, /\.ts:|\bat \w+ \(|Error:|ERR_|ENOTDIR|EISDIR|EEXIST|\bfailed:/)
      }
      assert.deepEqual([done.status, done.stdout], [2, ''])
      assert.deepEqual(snapshot(folder), before)
    })
  }
})

describe('misuse in a new place', { concurrency: 2 }, () => {
  const all = [
    'keys create --name A --permissions nope',
    'keys update svc_ak_nobody --rate 5',
    'keys show svc_ak_nobody',
    'blocks clear everybody',
    'demo --scale 0',
    'schema print --dialect mysql',
  ]
  for (const [at, words] of all.entries()) {
    test(`vitrine ${words} leaves nothing where nothing was`, async () => {
      const folder = join(root, `new-${at}`)
      mkdirSync(folder)
      const { status } = await runCommand(words.split(' '), { VITRINE_DATA_DIR: 'data' }, folder)
      assert.equal(status, 2)
      assert.deepEqual(readdirSync(folder, { recursive: true }), [])
    })
  }
})
