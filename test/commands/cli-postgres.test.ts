// The commands on a state in PostgreSQL: word for word what they say on SQLite, with the same exit status.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { systemClock } from '../../src/platform/clock.ts'
import { databaseUrl } from '../../src/settings/types.ts'
import { openState } from '../../src/state/open.ts'
import { dropDatabases, makeDatabase } from '../support/database.ts'
import { runVitrine, temporaryFolder, type Ended, type Settings } from '../support/process.ts'
import { runCommand } from '../support/run-command.ts'

const root = temporaryFolder()
after(() => rmSync(root, { recursive: true }))
after(dropDatabases)

// KEY1 and KEY2 are the first two keys that were made; `block` lets a caller be blocked.
const script = [
  'keys list',
  'keys show svc_ak_nobody',
  'keys create --name Café --permissions products:read,costs:read --stores 1,99 --price-list 2',
  'keys create --name Ledger --permissions all --stores none --rate 600 --json',
  'keys list',
  'keys list --json',
  'keys show KEY2 --json',
  'keys update KEY1 --rate 5 --stores all --price-list 42 --disable',
  'keys update KEY1 --enable --permissions reference:read --json',
  'keys update KEY1 --expires 2199-12-31 --addresses 192.0.2.0/24,2001:DB8::/32',
  'keys update KEY1 --addresses 192.0.2.1/24,x --expires yesterday',
  'keys rotate KEY1 --overlap 7d --json',
  'keys rotate KEY1',
  'keys show KEY1',
  'keys list',
  'keys rotate KEY1 --finish',
  'keys rotate KEY1 --finish',
  'audit list --about KEY1',
  'keys regenerate KEY2 --json',
  'keys revoke KEY2',
  'keys revoke KEY2',
  'keys list --json',
  'company disable',
  'company show --json',
  'company enable',
  'block',
  'blocks list',
  'blocks list --json',
  'blocks clear 192.0.2.7',
  'blocks clear 192.0.2.7 --json',
]

type Said = Pick<Ended, 'status' | 'stdout' | 'stderr'>

async function blockCaller(stateUrl: string, key: string): Promise<void> {
  const parsed = databaseUrl('vitrine').parse(stateUrl, root)
  if ('fault' in parsed) assert.fail(parsed.fault)
  const state = await openState(parsed.value, systemClock, 'treat as empty', assert.fail)
  const attempt = { codeHash: new Uint8Array(32), isReadable: true, scope: null, tokenHash: new Uint8Array(32) }
  for (let turn = 0; turn < 5; turn += 1)
    await state.requestToken({ ...attempt, address: '192.0.2.7', accessKey: turn % 2 === 0 ? key : 'svc_ak_nobody' })
  for (let turn = 0; turn < 5; turn += 1) await state.requestToken({ ...attempt, address: '192.0.2.8', accessKey: key })
  await state.close()
}

/** Every command in turn, with what differs from run to run replaced by what it stands for. */
async function runScript(settings: Settings & { VITRINE_STATE_URL: string }, place: RegExp): Promise<Said[]> {
  const keys: string[] = []
  const plain = (text: string) =>
    text
      .replaceAll(place, 'PLACE')
      // A file is a state database, a schema is not.
      .replaceAll(/state( database)?(:| at| in) PLACE/g, 'state in PLACE')
      .replaceAll(/svc_sk_\w+/g, 'CODE')
      .replaceAll(/svc_ak_\w{24}/g, (key) => `KEY${keys.indexOf(key) + 1}`)
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
  const said: Said[] = []
  for (const line of script) {
    const words = line.split(' ').map((word) => (/^KEY\d$/.test(word) ? (keys[Number(word[3]) - 1] ?? '') : word))
    if (line === 'block') {
      await blockCaller(settings.VITRINE_STATE_URL, keys[0] ?? '')
      continue
    }
    const { status, stdout, stderr } = await runCommand(words, settings, root)
    if (line.startsWith('keys create')) keys.push(...(/svc_ak_\w+/.exec(stdout) ?? []))
    said.push({ status, stdout: plain(stdout), stderr: plain(stderr) })
  }
  return said
}

describe('the same commands on both engines', () => {
  let here: Said[] = []
  let there: Said[] = []
  before(async () => {
    const database = await makeDatabase()
    const sqlite = {
      VITRINE_DATA_DIR: join(root, 'sqlite'),
      VITRINE_STATE_URL: `sqlite:${join(root, 'sqlite/state.db')}`,
    }
    const postgres = {
      VITRINE_DATA_DIR: join(root, 'postgres'),
      VITRINE_DATABASE_URL: database.url,
      VITRINE_STATE_URL: database.at('Own state'),
    }
    await Promise.all([sqlite, postgres].map((settings) => runVitrine(['demo', '--scale', '0.01'], settings)))
    ;[there, here] = await Promise.all([
      runScript(sqlite, new RegExp(join(root, 'sqlite/state.db'), 'g')),
      runScript(postgres, new RegExp(`the schema Own state of the database ${database.name} at [\\w.:]+\\b`, 'g')),
    ])
  })
  for (const [at, line] of script.filter((each) => each !== 'block').entries())
    test(`${at + 1}. ${line}: the same words and exit status`, () => {
      assert.deepEqual(here[at], there[at])
      assert.ok([0, 2].includes(here[at]?.status ?? -1), JSON.stringify(here[at]))
      assert.doesNotMatch(here[at]?.stderr ?? '', /\.ts:|\bat \w+ \(|Error:|\bfailed:/)
    })

  test('they did what they say: a key, a block, a remark', () => {
    const all = here.map(({ stdout, stderr }) => stdout + stderr).join('')
    for (const part of ['Café', 'There is no store 99', 'no price list 42', 'KEY1  active', 'revoked', '192.0.2.8'])
      assert.ok(all.includes(part), part)
    assert.equal(here.filter(({ status }) => status === 2).length, 5)
  })
})

test('where nobody made a state, a command that only looks makes none', async () => {
  const database = await makeDatabase()
  const settings = { VITRINE_DATABASE_URL: database.at('pos'), VITRINE_STATE_URL: database.at('vitrine') }
  const { status, stdout } = await runCommand(['company', 'show', '--json'], settings)
  assert.deepEqual([status, stdout], [0, '{"enabled":true}\n'])
  assert.deepEqual(await database.query(`SELECT to_regnamespace('vitrine') AS there`), [{ there: null }])
})
