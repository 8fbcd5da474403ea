// The state of a running service in its threads: late answers, and which calls wait for which.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { manualClock, systemClock } from '../../../src/platform/clock.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { openSqliteState, startSqliteState } from '../../../src/state/sqlite/state.ts'
import type { State } from '../../../src/state/state.ts'
import { until } from '../../support/process.ts'

const key = { accessKey: 'svc_ak_1', name: 'Shop', permissions: [], stores: null, priceList: null, rate: 60 }
const hash = new Uint8Array(32)
const attempt = {
  address: '127.0.0.1',
  accessKey: null,
  codeHash: null,
  isReadable: true,
  scope: null,
  tokenHash: hash,
}

describe('while another process holds the file for writing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-'))
  const path = join(folder, 'state.db')
  let state: State
  before(async () => {
    state = startSqliteState({ path, clock: systemClock, timeoutMs: 250 })
    await state.isEnabled()
  })
  after(async () => {
    await state.close()
    rmSync(folder, { recursive: true })
  })

  test("an administrator's change is late and reported as done; reports do not wait for it; token requests are refused", async () => {
    // Begun before the file is held, so that the order of answers tells who waited.
    assert.deepEqual(await state.listKeys(), [])
    const holder = openSqlite(path)
    holder.exec('BEGIN IMMEDIATE')
    const order: string[] = []
    const note = (what: string) => () => void order.push(what)
    const made = state.createKey(key, hash).then(note('made'))
    const refused = assert.rejects(state.requestToken(attempt), /in time/).then(note('refused'))
    await state.listAudit({ limit: 1 }).then(note('report'))
    await refused
    holder.exec('COMMIT')
    holder.close()
    await made
    assert.deepEqual(order.toSorted(), ['made', 'refused', 'report'])
    assert.equal(order.at(-1), 'made')
    // Read without the short timeout, which a busy machine may exceed.
    const direct = openSqliteState({ path, clock: systemClock })
    assert.equal((await direct.findKey(key.accessKey))?.name, 'Shop')
    await direct.close()
  })

  test('a session of the console continues, though it cannot be extended', async () => {
    const clock = manualClock(Date.UTC(2026, 9, 1, 12))
    const own = startSqliteState({ path, clock, timeoutMs: 10_000 })
    const holder = openSqlite(path)
    try {
      await own.createAccount('Marie', 'administrator', { salt: hash, hash })
      const origin = { address: '127.0.0.1', account: 'Marie', browser: null }
      const granted = await own.signIn(origin, { passwordHash: hash, sessionHash: hash })
      assert.equal(granted.is, 'granted')
      clock.advance(5 * 60_000)
      holder.exec('BEGIN IMMEDIATE')
      assert.equal((await own.findSession(hash))?.by, 'Marie, console')
    } finally {
      holder.close()
      await own.close()
    }
  })
})

test('a backup without a log is copied over slowly, after a report was read: all of it is there again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-'))
  const path = join(folder, 'state.db')
  const state = startSqliteState({ path, clock: systemClock })
  try {
    await state.createKey(key, hash)
    assert.equal((await state.listKeys()).length, 1)
    const database = openSqlite(path)
    database.exec(`VACUUM INTO '${path}.backup'; PRAGMA wal_checkpoint(TRUNCATE)`)
    database.close()
    truncateSync(path)
    await until('it is noticed', () =>
      state.findKey(key.accessKey).then(
        () => false,
        () => true,
      ),
    )
    const backup = readFileSync(`${path}.backup`)
    assert.deepEqual([...backup.subarray(18, 20)], [1, 1])
    for (const part of [backup.subarray(0, 8192), backup.subarray(8192)]) {
      writeFileSync(path, part, { flag: 'a' })
      await wait(300)
    }
    await until('it answers', () => state.findKey(key.accessKey).catch(() => undefined))
    await state.updateKey(key.accessKey, { rate: 90 }, 'a test')
    assert.equal((await state.listKeys())[0]?.rate, 90)
  } finally {
    await state.close()
    rmSync(folder, { recursive: true })
  }
})
