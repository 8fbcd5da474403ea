// The command line: what each command prints, for people and as JSON, and its help.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { permissions } from '../../src/catalogue/permissions.ts'
import { manualClock, systemClock } from '../../src/platform/clock.ts'
import { settingNames } from '../../src/settings/table.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { openSqliteState } from '../../src/state/sqlite/state.ts'
import type { TokenAttempt } from '../../src/state/state.ts'
import { derivePassword } from '../../src/web/console/password.ts'
import { makePos } from '../support/pos.ts'
import { repository, runVitrine, temporaryFolder } from '../support/process.ts'
import { runCommand, type NewKey } from '../support/run-command.ts'

const root = temporaryFolder()
after(() => rmSync(root, { recursive: true }))

const at = (folder: string) => ({ VITRINE_DATA_DIR: join(root, folder) })
const run = (folder: string, ...words: string[]) => runWith(runCommand, folder, words)
/** As a program. */
const runProcess = (folder: string, ...words: string[]) => runWith(runVitrine, folder, words)
async function runWith(start: typeof runCommand | typeof runVitrine, folder: string, words: string[]): Promise<string> {
  const { status, stdout, stderr } = await start(words, at(folder))
  // What is said of databases that are not there yet has tests of its own.
  const rest = stderr.replace(
    /^(Made a new state database:|There is no state database at|The POS database cannot be read now,) .*\n/gm,
    '',
  )
  assert.deepEqual([status, rest], [0, ''], words.join(' '))
  return stdout
}
async function runJson(folder: string, ...words: string[]): Promise<Record<string, unknown>[]> {
  const stdout = await run(folder, ...words, '--json')
  if (stdout === '') return []
  assert.ok(stdout.endsWith('\n'))
  const lines = stdout.slice(0, -1).split('\n')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

const created = (folder: string, ...words: string[]) =>
  runJson(folder, 'keys', 'create', '--name', 'Web shop', ...words).then(([key]) => key as unknown as NewKey)

const refuseAccount = async (...words: string[]) => {
  const { status, stderr } = await runCommand(['admin', ...words], at('accounts'))
  return [status, stderr.replace(/^vitrine: /, '').trim()]
}

const unlimited = { expires: null, addresses: null }

describe('keys', { concurrency: 2 }, () => {
  const shapes: readonly { words: string[]; expected: Partial<NewKey> }[] = [
    {
      words: ['--permissions', 'all'],
      expected: { permissions: [...permissions], stores: null, price_list: null, rate: 60, ...unlimited },
    },
    {
      words: ['--permissions', 'costs:read,products:read', '--stores', '1,2', '--price-list', '3', '--rate', '600'],
      expected: {
        permissions: ['products:read', 'costs:read'],
        stores: [1, 2],
        price_list: 3,
        rate: 600,
        ...unlimited,
      },
    },
    {
      words: ['--permissions=reference:read', '--stores=none'],
      expected: { permissions: ['reference:read'], stores: [], price_list: null, rate: 60, ...unlimited },
    },
    {
      words: ['--permissions=reference:read', '--expires=2199-12-31', '--addresses', '192.0.2.0/24,2001:DB8::1'],
      expected: {
        permissions: ['reference:read'],
        stores: null,
        price_list: null,
        rate: 60,
        expires: '2199-12-31',
        addresses: ['192.0.2.0/24', '2001:db8::1'],
      },
    },
  ]
  for (const { words, expected } of shapes) {
    test(`keys create ${words.join(' ')} --json prints exactly what was made`, async () => {
      const { client_id, client_secret, ...rest } = await created('shapes', ...words)
      assert.match(client_id, /^svc_ak_[A-Za-z0-9]{20,}$/)
      assert.match(client_secret, /^svc_sk_[A-Za-z0-9]{27,}$/)
      assert.deepEqual(rest, { name: 'Web shop', ...expected })
    })
  }

  test('keys create --json has its members in the order of the documentation', async () => {
    const key = await created('order', '--permissions', 'all')
    const names = ['name', 'client_id', 'client_secret', 'permissions', 'stores', 'price_list', 'rate']
    assert.deepEqual(Object.keys(key), [...names, 'expires', 'addresses'])
  })

  test('keys create shows people the access key and the security code; nothing shows the code again or keeps it', async () => {
    const text = await runProcess('people', 'keys', 'create', '--name', 'Caisse é', '--permissions', 'all')
    const accessKey = /svc_ak_[A-Za-z0-9]+/.exec(text)?.[0] ?? assert.fail(text)
    const code = /svc_sk_[A-Za-z0-9]+/.exec(text)?.[0] ?? assert.fail(text)
    assert.match(text, /Caisse é/)
    const later = await Promise.all([
      runProcess('people', 'keys', 'list'),
      runProcess('people', 'keys', 'list', '--json'),
      runProcess('people', 'keys', 'show', accessKey),
      runProcess('people', 'keys', 'show', accessKey, '--json'),
      runProcess('people', 'keys', 'update', accessKey, '--rate', '5'),
    ])
    for (const shown of later) {
      assert.ok(shown.includes(accessKey))
      assert.doesNotMatch(shown, /svc_sk_/)
    }
    const folder = join(root, 'people')
    for (const name of readdirSync(folder)) assert.ok(!readFileSync(join(folder, name)).includes(code), name)
  })

  test('keys list, show, update, regenerate and revoke --json show the key as it is', async () => {
    assert.deepEqual(await runJson('life', 'keys', 'list'), [])
    const { client_secret, ...made } = await created('life', '--permissions', 'products:read')
    const other = await created('life', '--permissions', 'all')
    const listed = await runJson('life', 'keys', 'list')
    assert.deepEqual(
      listed.map((key) => key['client_id']),
      [made.client_id, other.client_id],
    )
    const { state, created_at, old_code_until, last_used, last_address, ...shown } = listed[0] ?? {}
    assert.deepEqual(shown, made)
    assert.deepEqual([old_code_until, last_used, last_address], [null, null, null])
    assert.equal(state, 'active')
    assert.ok(Math.abs(Date.parse(String(created_at)) - Date.now()) < 600_000)
    assert.deepEqual(await runJson('life', 'keys', 'show', made.client_id), [listed[0]])

    const changes = ['--name', 'New', '--stores', '2', '--price-list', '1', '--rate', '9', '--disable']
    const updated = { ...listed[0], name: 'New', stores: [2], price_list: 1, rate: 9, state: 'disabled' }
    assert.deepEqual(await runJson('life', 'keys', 'update', made.client_id, ...changes), [updated])
    assert.deepEqual(await runJson('life', 'keys', 'show', made.client_id), [updated])
    const back = ['--stores', 'all', '--price-list', 'all', '--enable', '--name', 'Web shop', '--rate', '60']
    assert.deepEqual(await runJson('life', 'keys', 'update', made.client_id, ...back), [listed[0]])

    const [regenerated] = await runJson('life', 'keys', 'regenerate', made.client_id)
    const { client_secret: next, ...same } = regenerated as unknown as NewKey
    assert.deepEqual(same, made)
    assert.match(next, /^svc_sk_/)
    assert.notEqual(next, client_secret)

    const revoked = { ...listed[0], state: 'revoked' }
    assert.deepEqual(await runJson('life', 'keys', 'revoke', made.client_id), [revoked])
    assert.deepEqual((await runJson('life', 'keys', 'list'))[0], revoked)
    assert.match(await run('life', 'keys', 'list'), new RegExp(`${made.client_id} +revoked`))
  })
})

const wrongAttempt = (address: string): TokenAttempt => ({
  address,
  accessKey: 'svc_ak_unknown',
  codeHash: new Uint8Array(32),
  isReadable: true,
  scope: null,
  tokenHash: new Uint8Array(32),
})
const day = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10)

describe('the life of a key', { concurrency: 2 }, () => {
  test('keys rotate: a new code, and until when the old one works; a second one is refused; --finish ends it', async () => {
    const { client_secret: old, ...made } = await created('rotate', '--permissions', 'products:read')
    const id = made.client_id
    const [rotated] = await runJson('rotate', 'keys', 'rotate', id, '--overlap', '7d')
    const { client_secret: next, old_code_until: until, ...same } = rotated ?? {}
    assert.deepEqual(same, made)
    assert.match(String(next), /^svc_sk_/)
    assert.notEqual(next, old)
    const days = (Date.parse(String(until)) - Date.now()) / 86_400_000
    assert.ok(days > 6.9 && days <= 7, String(until))
    assert.equal((await runJson('rotate', 'keys', 'show', id))[0]?.['old_code_until'], until)
    const minute = `${String(until).slice(0, 16)}Z`
    assert.match(await run('rotate', 'keys', 'show', id), new RegExp(`^Old code +works until ${minute}$`, 'm'))
    assert.match(await run('rotate', 'keys', 'list'), new RegExp(`OLD CODE UNTIL.*\n${id} .* ${minute} `))
    const second = await runCommand(['keys', 'rotate', id], at('rotate'))
    assert.deepEqual([second.status, second.stdout], [2, ''])
    assert.ok(second.stderr.includes(`until ${String(until)}. "vitrine keys rotate ${id} --finish" ends it now.`))
    assert.match(await run('rotate', 'keys', 'rotate', id, '--finish'), /old security code .* is refused from now on/)
    assert.equal((await runJson('rotate', 'keys', 'list'))[0]?.['old_code_until'], null)
    const again = await runCommand(['keys', 'rotate', id, '--finish'], at('rotate'))
    assert.deepEqual([again.status, again.stdout], [2, ''])
    assert.match(again.stderr, /has one security code: no rotation is under way/)
    const done = (await runJson('rotate', 'audit', 'list')).map(({ act }) => String(act))
    assert.deepEqual(done, ['rotation finished', 'code rotated', 'key created'])
  })

  test('keys rotate shows people the new code, once, and when the old one ends', async () => {
    const { client_id: id, client_secret: old } = await created('rotate-text', '--permissions', 'all')
    const text = await run('rotate-text', 'keys', 'rotate', id)
    const codes = text.match(/svc_sk_\w+/g) ?? []
    assert.equal(codes.length, 1)
    assert.notEqual(codes[0], old)
    assert.match(text, /^Old code +works until \d{4}-\d\d-\d\dT\d\d:\d\dZ$/m)
  })

  test('a last day and addresses: given, shown, told of thirty days ahead, and taken away', async () => {
    const { client_id: id } = await created('ends', '--permissions', 'all', '--expires', day(400))
    assert.doesNotMatch(await run('ends', 'keys', 'list'), /\(in |ADDRESSES/)
    const update = (...words: string[]) => runJson('ends', 'keys', 'update', id, ...words)
    const [changed] = await update('--expires', day(20), '--addresses', '192.0.2.7/32,198.51.100.0/24')
    assert.deepEqual([changed?.['expires'], changed?.['addresses']], [day(20), ['192.0.2.7', '198.51.100.0/24']])
    // By a day more or less, as the machine's zone has it.
    assert.match(
      await run('ends', 'keys', 'list'),
      /LAST DAY.*\n.*192\.0\.2\.7, 198\.51\.100\.0\/24 .*\(in (19|20|21) days\)/,
    )
    assert.match(await run('ends', 'keys', 'show', id), /^Addresses +192\.0\.2\.7, 198\.51\.100\.0\/24$/m)
    const [audited = {}] = await runJson('ends', 'audit', 'list')
    const { expires } = audited['details'] as Record<string, unknown>
    assert.deepEqual(expires, { from: day(400), to: day(20) })
    const [back] = await update('--expires', 'never', '--addresses', 'all')
    assert.deepEqual([back?.['expires'], back?.['addresses']], [null, null])
    assert.match(
      await run('ends', 'audit', 'list'),
      /expires \S+ → never; addresses 192\.0\.2\.7,198\.51\.100\.0\/24 → all/,
    )
  })

  test('everything that is wrong is said at once, and nothing is changed', async () => {
    const given = [
      '--name',
      'A',
      '--permissions',
      'product:read',
      '--expires',
      '2026-02-30',
      '--addresses',
      '10.1.2.3/8,x',
    ]
    const { status, stdout, stderr } = await runCommand(['keys', 'create', ...given], at('wrong'))
    assert.deepEqual([status, stdout], [2, ''])
    for (const part of ['products:read', '2026-02-30', '10.0.0.0/8', '"x"']) assert.ok(stderr.includes(part), part)
    assert.equal(existsSync(join(root, 'wrong', 'state.db')), false)
    const over = await runCommand(
      ['keys', 'create', '--name', 'A', '--permissions', 'all', '--expires', '2020-01-01'],
      at('wrong'),
    )
    assert.deepEqual([over.status, existsSync(join(root, 'wrong', 'state.db'))], [2, false])
    assert.match(over.stderr, /2020-01-01 has passed/)
    for (const [words, says] of [
      [['--overlap', '99d'], /"99d" is not a time from 1m to 30d/],
      [['--overlap', '1h', '--finish'], /Give --overlap or --finish, not both/],
    ] as const) {
      const { client_id: id } = await created('wrong-rotate', '--permissions', 'all')
      const ended = await runCommand(['keys', 'rotate', id, ...words], at('wrong-rotate'))
      assert.deepEqual([ended.status, ended.stdout], [2, ''])
      assert.match(ended.stderr, says)
    }
  })
})

const acts = async (...words: string[]) =>
  (await runJson('then', 'audit', 'list', ...words)).map(({ act }) => String(act))

describe('company, blocks, config', { concurrency: 2 }, () => {
  test('audit list --from and --to: what was done then; what is no time is said', async () => {
    await created('then', '--permissions', 'all')
    const [before, after] = [
      new Date(Date.now() - 3_600_000).toISOString(),
      new Date(Date.now() + 3_600_000).toISOString(),
    ]
    assert.deepEqual(await acts('--from', before, '--to', after), ['key created'])
    assert.deepEqual(await acts('--from', after), [])
    assert.deepEqual(await acts('--to', before), [])
    const wrong = await runCommand(['audit', 'list', '--from', 'yesterday', '--to', '2026-13-01'], at('then'))
    assert.equal(wrong.status, 2)
    assert.deepEqual(wrong.stderr.match(/is not a time such as/g)?.length, 2)
  })

  test('audit list tells in plain words of blocks that were only counted', async () => {
    await created('flood', '--permissions', 'all')
    const state = openSqliteState({ path: join(root, 'flood', 'state.db'), clock: manualClock(Date.UTC(2026, 9, 1)) })
    try {
      for (let from = 1; from <= 22; from += 1)
        for (let turn = 0; turn < 5; turn += 1) await state.requestToken(wrongAttempt(`10.0.0.${from}`))
    } finally {
      await state.close()
    }
    const people = await run('flood', 'audit', 'list')
    assert.match(people, /more callers blocked .*the service +further blocks in the same hour: 2 \(addresses: 2\)/)
    assert.match(people, / key created /)
    const [summary] = await runJson('flood', 'audit', 'list', '--act', 'more callers blocked')
    assert.deepEqual([summary?.['subject'], summary?.['details']], ['', { blocks: 2, addresses: 2 }])
  })

  test('keys create takes the permissions of a preset', async () => {
    const shop = await created('preset', '--preset', 'web-shop')
    assert.deepEqual(shop.permissions, ['products:read', 'reference:read'])
    const ledger = await created('preset', '--preset=accountant', '--rate', '7')
    assert.ok(['payments:read', 'costs:read', 'customers:financial'].every((each) => ledger.permissions.includes(each)))
    const board = await created('preset', '--preset', 'dashboard')
    assert.ok(board.permissions.includes('invoices:read') && !board.permissions.includes('costs:read'))
  })

  test('accounts of the console: made, listed, given another role and password, removed; all of it is written down', async () => {
    const type = async (password: string, ...words: string[]) => {
      const { status, stdout, stderr } = await runVitrine(['admin', ...words, '--json'], at('accounts'), root, password)
      const rest = stderr.replace(/^Made a new state database: .*\n/, '')
      return [status, stdout === '' ? null : (JSON.parse(stdout) as Record<string, unknown>), rest] as const
    }
    const [first, second] = ['a good password', 'another password']
    // Nothing is made for a password that is refused, nor for an account that is not there.
    assert.match((await type('short', 'add', 'Marie'))[2], /12 characters or more/)
    assert.match((await type(first, 'password', 'Marie'))[2], /There is no account "Marie"/)
    assert.deepEqual(await runJson('accounts', 'admin', 'list'), [])
    const viewer = await type(first, 'add', 'Jean', '--role', 'viewer')
    assert.deepEqual([viewer[0], viewer[1]], [2, null])
    assert.match(viewer[2], /The first account is an administrator/)
    assert.deepEqual(await runJson('accounts', 'admin', 'list'), [])
    assert.deepEqual(await type(first, 'password'), [0, { set: true, name: 'administrator' }, ''])
    assert.deepEqual(await type(second, 'password'), [0, { set: true, name: 'administrator' }, ''])
    const [, made] = await type(first, 'add', 'Marie', '--role', 'viewer')
    assert.deepEqual([made?.['name'], made?.['role'], made?.['last_sign_in_at']], ['Marie', 'viewer', null])
    assert.match((await type(first, 'add', 'MARIE'))[2], /There is already an account "MARIE"/)
    assert.deepEqual(await type(second, 'password', 'marie'), [0, { set: true, name: 'Marie' }, ''])
    const state = openSqliteState({ path: join(root, 'accounts', 'state.db'), clock: systemClock })
    try {
      for (const [account, password] of [
        ['administrator', second],
        ['Marie', second],
      ] as const) {
        const passwordHash = await derivePassword(password, await state.findSalt(account))
        const origin = { address: '127.0.0.1', account, browser: null }
        const session = { passwordHash, sessionHash: passwordHash.map((byte) => byte ^ 1) }
        assert.equal((await state.signIn(origin, session)).is, 'granted')
      }
    } finally {
      await state.close()
    }
    const isLast = '"administrator" is the last administrator. Make another account an administrator first.'
    assert.deepEqual(await refuseAccount('remove', 'administrator'), [2, isLast])
    assert.deepEqual(await refuseAccount('role', 'administrator', 'viewer'), [2, isLast])
    assert.deepEqual(await refuseAccount('role', 'Mari', 'viewer'), [
      2,
      'There is no account "Mari". Did you mean "Marie"?',
    ])
    assert.match(
      String((await refuseAccount('role', 'Marie', 'boss'))[1]),
      /no role "boss". Roles: administrator, viewer/,
    )
    assert.match(
      String((await refuseAccount('add', '..', '--role', 'x'))[1]),
      /name of an account needs 1 to 60.*no role "x"/s,
    )
    assert.match(await run('accounts', 'admin', 'role', 'Marie', 'administrator'), /Marie is an administrator now/)
    const list = await run('accounts', 'admin', 'list')
    assert.match(
      list,
      /^NAME +ROLE +CREATED +LAST SIGN-IN\nadministrator +administrator +\S+ +2\S+\nMarie +administrator /,
    )
    const [removed] = await runJson('accounts', 'admin', 'remove', 'administrator')
    assert.equal(removed?.['name'], 'administrator')
    assert.deepEqual(
      (await runJson('accounts', 'admin', 'list')).map(({ name }) => name),
      ['Marie'],
    )
    const acts = (await runJson('accounts', 'audit', 'list')).map(
      (entry) => `${String(entry['act'])} ${String(entry['subject'])}`,
    )
    assert.deepEqual(acts, [
      'account removed administrator',
      'account changed Marie',
      'signed in ',
      'signed in ',
      'password set Marie',
      'account created Marie',
      'password set administrator',
      'account created administrator',
    ])
    assert.match(
      await run('accounts', 'audit', 'list'),
      /account changed +Marie +\S+, command line +role viewer → administrator/,
    )
  })

  test('admin sign-out ends every session, and is written down', async () => {
    await created('out', '--permissions', 'all')
    const path = join(root, 'out', 'state.db')
    const state = openSqliteState({ path, clock: systemClock })
    const secret = new Uint8Array(32)
    try {
      await state.createAccount('Marie', 'administrator', { salt: secret, hash: secret })
      const origin = { address: '127.0.0.1', account: 'Marie', browser: null }
      await state.signIn(origin, { passwordHash: secret, sessionHash: secret })
      assert.ok(await state.findSession(secret))
      assert.deepEqual(await runJson('out', 'admin', 'sign-out'), [{ signed_out: true }])
      assert.equal(await state.findSession(secret), null)
      assert.equal((await state.listAudit({ limit: 1 }))[0]?.act, 'everybody signed out')
    } finally {
      await state.close()
    }
  })

  test('company show, disable and enable tell how it is now', async () => {
    assert.deepEqual(await runJson('company', 'company', 'show'), [{ enabled: true }])
    assert.deepEqual(await runJson('company', 'company', 'disable'), [{ enabled: false }])
    assert.deepEqual(await runJson('company', 'company', 'show'), [{ enabled: false }])
    assert.match(await runProcess('company', 'company', 'show'), /not/)
    assert.deepEqual(await runJson('company', 'company', 'enable'), [{ enabled: true }])
  })

  test('blocks list and clear where nobody is blocked', async () => {
    assert.deepEqual(await runJson('blocks', 'blocks', 'list'), [])
    assert.deepEqual(await runJson('blocks', 'blocks', 'clear', '192.0.2.1'), [{ address: '192.0.2.1', cleared: 0 }])
    const { status, stdout } = await runCommand(['blocks', 'list'], at('blocks'))
    assert.deepEqual([status, stdout], [0, ''])
  })

  test('config prints every setting, its value and where it came from; secrets masked', async () => {
    const file = join(root, 'settings')
    const password = join(root, 'url')
    writeFileSync(
      file,
      'VITRINE_PORT=9001\nVITRINE_LOG_LEVEL=warn # quiet\nVITRINE_TIME_ZONE="America/Port-au-Prince"\n',
    )
    writeFileSync(password, 'postgres://reader:hunter2@db.example/pos\n')
    const settings = {
      ...at('config'),
      VITRINE_LOG_LEVEL: 'error',
      VITRINE_DATABASE_URL_FILE: password,
      VITRINE_STATE_URL: 'postgres://writer:hunter3@db.example/state',
    }
    const asked = [
      ['config', '--json', '--config', file],
      ['config', '--config', file],
    ]
    const [json, text] = await Promise.all(asked.map((words) => runCommand(words, settings)))
    const shown = JSON.parse(json?.stdout ?? '') as Record<string, { value: string; from: string }>
    assert.deepEqual(Object.keys(shown), settingNames)
    assert.deepEqual(shown['VITRINE_PORT'], { value: '9001', from: `file ${file}` })
    assert.deepEqual(shown['VITRINE_LOG_LEVEL'], { value: 'error', from: 'environment' })
    assert.deepEqual(shown['VITRINE_TIME_ZONE'], { value: 'America/Port-au-Prince', from: `file ${file}` })
    assert.deepEqual(shown['VITRINE_HTTP_PORT'], { value: '8080', from: 'default' })
    assert.equal(shown['VITRINE_DATABASE_URL']?.value, 'postgres://reader:***@db.example/pos')
    for (const said of [json, text]) assert.doesNotMatch(`${said?.stdout}${said?.stderr}`, /hunter/)
    for (const name of Object.keys(shown)) assert.ok(text?.stdout.includes(name), name)
  })

  test('VITRINE_CONFIG names the file of settings as --config does', async () => {
    const file = join(root, 'named')
    writeFileSync(file, 'VITRINE_PORT=9002\n')
    const { stdout } = await runCommand(['config', '--json'], { ...at('config'), VITRINE_CONFIG: file })
    assert.deepEqual(JSON.parse(stdout).VITRINE_PORT, { value: '9002', from: `file ${file}` })
  })
})

const rowsOf = (folder: string) => {
  const database = openSqlite(join(root, folder, 'pos.db'), { readOnly: true })
  const rows = database.prepare('SELECT * FROM invoices ORDER BY id').all()
  database.close()
  return JSON.stringify(rows)
}

describe('demo', { concurrency: 2 }, () => {
  before(async () => {
    await Promise.all(
      [
        ['one', '3'],
        ['same', '3'],
        ['other', '4'],
      ].map(([folder = '', seed = '']) =>
        runCommand(['demo', '--scale', '0.02', '--seed', seed, '--json'], at(folder)),
      ),
    )
  })

  test('demo: the same seed gives the same company, another seed another', () => {
    assert.equal(rowsOf('one'), rowsOf('same'))
    assert.notEqual(rowsOf('one'), rowsOf('other'))
  })

  test('demo --json tells what was made; a company that is there is replaced with --force alone', async () => {
    const before = rowsOf('one')
    const refused = await runCommand(['demo', '--scale', '0.02', '--seed', '5', '--json'], at('one'))
    assert.deepEqual([refused.status, refused.stdout, rowsOf('one') === before], [2, '', true])
    assert.match(refused.stderr, /^vitrine: .*pos\.db.*--force.*\.\n$/)
    const [made] = await runJson('one', 'demo', '--scale', '0.02', '--seed', '5', '--force')
    assert.deepEqual([made?.['database'], made?.['scale'], made?.['seed']], [join(root, 'one', 'pos.db'), 0.02, 5])
    const documents = Number(made?.['documents'])
    assert.ok(documents >= 350 && documents <= 450, String(documents))
    assert.notEqual(rowsOf('one'), before)
  })
})

const helped: readonly (readonly [words: string, ...mentioned: string[]])[] = [
  ['serve', '--config', '--json'],
  ['demo', '--scale', '--seed', '--force'],
  ['schema apply'],
  ['schema print', '--dialect', 'sqlite', 'postgres'],
  ['keys create', '--name', '--permissions', '--stores', 'none', '--price-list', '--rate'],
  ['keys list'],
  ['keys show', 'KEY'],
  ['keys preview', 'KEY'],
  ['keys unused'],
  ['keys update', 'KEY', '--name', '--permissions', '--stores', '--price-list', '--rate'],
  ['keys regenerate', 'KEY'],
  ['keys revoke', 'KEY'],
  ['company enable'],
  ['company disable'],
  ['company show'],
  ['blocks list'],
  ['blocks clear', 'ADDRESS'],
  ['config'],
]

describe('help', { concurrency: 2 }, () => {
  for (const [words, ...mentioned] of helped) {
    test(`${words} --help tells its use, its operands and options, and does nothing else`, async () => {
      const { status, stdout, stderr } = await runCommand([...words.split(' '), '--help'], at('help'))
      assert.deepEqual([status, stderr], [0, ''])
      assert.ok(stdout.startsWith(`Usage: vitrine ${words}`), stdout)
      for (const word of [...mentioned, '--json', '--help', '--config']) assert.ok(stdout.includes(word), word)
      assert.ok(stdout.split('\n').every((line) => line.length <= 80))
      assert.ok(!existsSync(join(root, 'help')))
    })
  }

  test('vitrine --help lists every command, keys --help those of keys, --version tells the version', async () => {
    const [all, keys, version] = await Promise.all(
      [['--help'], ['keys', '--help'], ['--version']].map((words) => runProcess('help', ...words)),
    )
    for (const [words] of helped) {
      assert.ok(all?.includes(`  ${words} `), words)
      assert.equal(keys?.includes(`  ${words} `), words.startsWith('keys '), words)
    }
    const { version: expected } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      version: string
    }
    assert.equal(version, `${expected}\n`)
  })
})

test('a command where no state is yet says so, and which file it made', async () => {
  const path = join(root, 'elsewhere', 'state.db')
  const looked = await runCommand(['keys', 'list'], at('elsewhere'))
  assert.ok(looked.stderr.startsWith(`There is no state database at ${path}.`), looked.stderr)
  // An empty file, as at the start of a copy from a backup.
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '')
  assert.equal((await runCommand(['keys', 'list'], at('elsewhere'))).stderr, looked.stderr)
  assert.equal(readFileSync(path, 'latin1'), '')
  const made = await runVitrine(['company', 'disable'], at('elsewhere'))
  assert.equal(made.stderr, `Made a new state database: ${path}.\n`)
  assert.equal((await runCommand(['company', 'show'], at('elsewhere'))).stderr, '')
})

test('schema apply adds what an older table lacks, unless it decides what is shown', async () => {
  const folder = join(root, 'older')
  mkdirSync(folder)
  const database = openSqlite(join(folder, 'pos.db'))
  database.exec('CREATE TABLE price_lists (id INTEGER PRIMARY KEY, code TEXT)')
  database.exec('CREATE TABLE quotes (id INTEGER PRIMARY KEY, store_id INTEGER)')
  const { status, stdout, stderr } = await runCommand(['schema', 'apply'], at('older'))
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^vitrine: In .*, quotes lacks the column status; .*vitrine check" .*$/m)
  database.exec('DROP TABLE quotes')
  const applied = await runCommand(['schema', 'apply'], at('older'))
  assert.equal(applied.status, 0, applied.stderr)
  assert.match(applied.stderr + applied.stdout, /Add 1 column, empty: price_lists\.name\./)
  database.exec(`INSERT INTO price_lists (id, code, name) VALUES (1, 'A', 'Name')`)
  database.close()
})

test('the security code stands below the access key, whatever the key is called', async () => {
  const name = 'Access key of the shop'
  const made = await runCommand(['keys', 'create', '--name', name, '--permissions', 'all'], at('oddly-named'))
  const titles = made.stdout.split('\n').map((line) => line.slice(0, 14).trim())
  assert.deepEqual(titles.slice(0, 4), ['Name', 'Access key', 'Security code', 'State'])
})

test('keys create and update remark on stores and price lists that are not there, and on permissions that open nothing', async () => {
  const folder = join(root, 'mistyped')
  mkdirSync(folder)
  makePos(join(folder, 'pos.db'), { stores: [{ id: 1 }], price_lists: [{ id: 2 }] })
  const create = ['keys', 'create', '--json', '--name', 'Test', '--permissions']
  const good = await runCommand([...create, 'all', '--stores', '1', '--price-list', '2'], at('mistyped'))
  assert.equal(good.stderr, `Made a new state database: ${join(folder, 'state.db')}.\n`)
  const odd = await runCommand([...create, 'costs:read', '--stores', '1,99', '--price-list', '42'], at('mistyped'))
  const remarks = [
    'These permissions only add fields to resources: on their own, they open no resource.',
    'There is no store 99 in the POS database.',
    'There is no price list 42 in the POS database.',
  ]
  assert.deepEqual([odd.status, odd.stderr.trim().split('\n')], [0, remarks])
  const { client_id: key } = JSON.parse(odd.stdout) as NewKey
  const updated = await runCommand(['keys', 'update', key, '--stores', '7', '--price-list', 'all'], at('mistyped'))
  assert.deepEqual(updated.stderr.trim().split('\n'), [remarks[0], 'There is no store 7 in the POS database.'])
  rmSync(join(folder, 'pos.db'))
  const unread = await runCommand(['keys', 'update', key, '--permissions', 'all', '--stores', '8'], at('mistyped'))
  assert.equal(
    unread.stderr,
    'The POS database cannot be read now, so nobody has looked for these stores or this price list in it.\n',
  )
})
