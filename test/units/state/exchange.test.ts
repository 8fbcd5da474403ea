// The file of a state that a service has open: every exchange of it is noticed, nothing that SQLite or its owner does is taken for one,
// and neither the other file nor what was confirmed is lost by it.
import assert from 'node:assert/strict'
import fs, { chmodSync, copyFileSync, existsSync, linkSync, mkdtempSync, readFileSync, renameSync } from 'node:fs'
import { rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { hashSecret } from '../../../src/auth/secrets.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { watchExchange } from '../../../src/state/sqlite/exchange.ts'
import { stateFileProblem } from '../../../src/state/sqlite/schema.ts'
import { openStore } from '../../../src/state/sqlite/store.ts'
import { attemptOf } from '../../support/postgres-state.ts'

const begin = 1_700_000_000_000
const key = { accessKey: 'svc_ak_1', name: 'Shop', permissions: [], stores: null, priceList: null, rate: 60 }
const credentials = { accessKey: key.accessKey, securityCode: 'code' }

/** A state with a key that is open, another connection that reads it, as the listener's does, and copies of it. */
function openState(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-exchange-'))
  const path = join(folder, 'state.db')
  const store = openStore(path, 0)
  const listener = openSqlite(path, { readOnly: true })
  const readVersion = listener.prepare('PRAGMA data_version')
  readVersion.get()
  context.after(() => {
    store.close()
    listener.close()
    rmSync(folder, { recursive: true })
  })
  store.createKey(begin, key, hashSecret(credentials.securityCode))
  const command = <Result>(use: (database: ReturnType<typeof openSqlite>) => Result): Result => {
    const database = openSqlite(path)
    try {
      return use(database)
    } finally {
      database.close()
    }
  }
  // A token from another address each time: many would be too many of one.
  let tokens = 0
  const issueToken = () => {
    const attempt = attemptOf(credentials, `10.0.0.${(tokens += 1)}`)
    assert.equal(store.requestToken(begin, attempt).is, 'granted')
    return attempt
  }
  return { folder, path, store, command, issueToken, backup: join(folder, 'backup.db') }
}
type OpenState = ReturnType<typeof openState>

// How a backup may have been made. A copy of the file alone lacks what is in the log.
const copies: Readonly<Record<string, (state: OpenState) => void>> = {
  'made by VACUUM': ({ command, backup }) => command((database) => database.exec(`VACUUM INTO '${backup}'`)),
  'of the file itself': ({ path, backup, command }) => {
    command((database) => database.exec('PRAGMA wal_checkpoint(FULL)'))
    copyFileSync(path, backup)
  },
}

const remove = (path: string, ...suffixes: string[]) => suffixes.forEach((suffix) => rmSync(path + suffix))
const copyOver = ({ path, backup }: OpenState) => copyFileSync(backup, path)
const moveOver = ({ path, backup }: OpenState) => renameSync(backup, path)

const exchanges: Readonly<Record<string, (state: OpenState) => void>> = {
  'a backup is moved in its place': moveOver,
  'a backup is moved in its place, and the log removed': (state) => (
    moveOver(state),
    remove(state.path, '-wal', '-shm')
  ),
  'a backup is copied over it': copyOver,
  'a backup is copied over it, and the log removed': (state) => (copyOver(state), remove(state.path, '-wal', '-shm')),
  'its log is removed': ({ path }) => remove(path, '-wal'),
  'the index of its log is removed': ({ path }) => remove(path, '-shm'),
  'its log and the index are removed': ({ path }) => remove(path, '-wal', '-shm'),
  'it is removed': ({ path }) => remove(path, ''),
  'all of it is moved away': ({ path }) => {
    for (const suffix of ['', '-wal', '-shm']) renameSync(path + suffix, `${path}.away${suffix}`)
  },
  'it is emptied': ({ path }) => truncateSync(path),
  'it is cut off': ({ path }) => truncateSync(path, 8192),
  'noise is written over it': ({ path }) => writeFileSync(path, Buffer.alloc(statSync(path).size, 0xa5)),
  'the database of another program is copied over it': ({ path, folder }) => {
    const other = openSqlite(join(folder, 'other.db'))
    other.exec('CREATE TABLE keys (access_key TEXT)')
    // Without a log, SQLite counts each.
    for (let row = 0; row < 100; row += 1) other.exec(`INSERT INTO keys VALUES ('${'x'.repeat(2000)}')`)
    other.exec('PRAGMA journal_mode = WAL')
    other.close()
    copyFileSync(join(folder, 'other.db'), path)
  },
}

describe('the file of a state, while it is open', () => {
  for (const [made, copy] of Object.entries(copies))
    for (const [name, exchange] of Object.entries(exchanges))
      test(`${name} (a backup ${made}): it is noticed, also if all that came after the backup is one token`, (context) => {
        const state = openState(context)
        copy(state)
        state.issueToken()
        state.command((database) => database.exec('PRAGMA wal_checkpoint(FULL)'))
        const check = watchExchange(state.path)
        check()
        exchange(state)
        const problem =
          /^Error: The state database \S+ was exchanged, or its log was removed, .*put the file in its place, remove \S+-wal and \S+-shm, and start it\.$/
        assert.throws(check, problem)
        assert.throws(check, problem)
      })

  test('a revocation makes an older copy noticed, whatever it is of', (context) => {
    const revocations: readonly ((state: OpenState) => () => void)[] = [
      ({ store }) =>
        () =>
          void store.revokeKey(begin, key.accessKey, 'ada'),
      ({ store, issueToken }) => {
        const { tokenHash } = issueToken()
        return () => void store.revokeToken(begin, { ...attemptOf(credentials, '10.1.0.1'), tokenHash })
      },
      ({ store }) =>
        () =>
          void store.regenerateKey(begin, key.accessKey, hashSecret('next'), 'ada'),
    ]
    for (const prepare of revocations) {
      const state = openState(context)
      const revoke = prepare(state)
      state.command((database) => database.exec('PRAGMA wal_checkpoint(FULL)'))
      copyFileSync(state.path, state.backup)
      revoke()
      const check = watchExchange(state.path)
      copyOver(state)
      assert.throws(check, /was exchanged/)
    }
  })

  test('what SQLite and the owner of the file do is none', (context) => {
    const state = openState(context)
    const { path, store, command, issueToken } = state
    const check = watchExchange(path)
    const acts: readonly (() => void)[] = [
      () => void issueToken(),
      () => void store.updateKey(begin, key.accessKey, { rate: 90 }, 'ada'),
      () => store.sweep(begin),
      () => {
        const other = openStore(path, 5000)
        other.updateKey(begin, key.accessKey, { rate: 80 }, 'a command')
        other.close()
      },
      () => void command((database) => database.prepare('SELECT * FROM keys').all()),
      ...['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'].map(
        (mode) => () => command((database) => database.exec(`PRAGMA wal_checkpoint(${mode})`)),
      ),
      () => chmodSync(path, 0o640),
      () => linkSync(path, `${path}.link`),
      () => rmSync(`${path}.link`),
      () => utimesSync(path, 1, 1),
    ]
    for (let turn = 0; turn < 3; turn += 1)
      for (const act of acts) {
        act()
        check()
      }
  })

  test('a new file that has the inode of the one before is another one, by its birth', (context) => {
    const state = openState(context)
    copies['of the file itself']?.(state)
    const { statSync: look } = fs
    const replace = (statSync: typeof look) => {
      Object.assign(fs, { statSync })
      syncBuiltinESMExports()
    }
    // As if the file system always gave the same.
    replace(((...words: Parameters<typeof look>) => {
      const found = look(...words)
      return found && Object.assign(found, { ino: 7 })
    }) as typeof look)
    context.after(() => replace(look))
    const check = watchExchange(state.path)
    check()
    moveOver(state)
    assert.throws(check, /was exchanged/)
  })

  test('its log is put aside, so that SQLite does not apply it to the other file; the log of the other one stays', (context) => {
    const [moved, owned] = [openState(context), openState(context)]
    for (const state of [moved, owned]) {
      copies['made by VACUUM']?.(state)
      state.issueToken()
    }
    const check = watchExchange(moved.path)
    moveOver(moved)
    const bytes = readFileSync(moved.path)
    assert.throws(check)
    assert.deepEqual(
      ['-wal', '-shm', '-wal.left'].map((suffix) => existsSync(moved.path + suffix)),
      [false, false, true],
    )
    assert.ok(readFileSync(moved.path).equals(bytes))
    assert.equal(
      moved.command((database) => database.prepare('PRAGMA integrity_check').get()?.['integrity_check']),
      'ok',
    )

    const checkOwned = watchExchange(owned.path)
    moveOver(owned)
    remove(owned.path, '-wal', '-shm')
    writeFileSync(`${owned.path}-wal`, 'its own')
    assert.throws(checkOwned)
    assert.equal(readFileSync(`${owned.path}-wal`, 'utf8'), 'its own')
  })

  test('where it is gone or empty afterwards, no service starts with an empty state instead', (context) => {
    const { path, folder } = openState(context)
    const check = watchExchange(path)
    renameSync(path, join(folder, 'away.db'))
    assert.throws(check)
    const isMissing =
      /^The state database \S+ is missing or empty\. Put a backup of it in its place, or remove \S+-wal\.left/
    assert.match(String(stateFileProblem(path)), isMissing)
    writeFileSync(path, '')
    assert.match(String(stateFileProblem(path)), isMissing)
    renameSync(join(folder, 'away.db'), path)
    assert.equal(stateFileProblem(path), undefined)
    rmSync(path)
    rmSync(`${path}-wal.left`)
    assert.equal(stateFileProblem(path), undefined)
  })
})
