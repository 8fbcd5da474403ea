// The state of a running service in its threads: late answers, and which calls wait for which.
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { manualClock, systemClock } from '../../../src/platform/clock.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { openSqliteState, startSqliteState } from '../../../src/state/sqlite/state.ts'
import type { State } from '../../../src/state/state.ts'

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

const isExchanged = /was exchanged, or its log was removed/

test('another file is copied over it: every call fails, the owner is told once, and the file stays as it was copied', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-'))
  const path = join(folder, 'state.db')
  const told: string[] = []
  const state = startSqliteState({ path, clock: systemClock, onExchanged: (problem) => told.push(problem) })
  try {
    await state.createKey(key, hash)
    const database = openSqlite(path)
    database.exec('PRAGMA wal_checkpoint(FULL)')
    database.close()
    copyFileSync(path, `${path}.backup`)
    await state.updateKey(key.accessKey, { rate: 90 })
    // In the log alone.
    assert.equal((await state.requestToken(attempt)).is, 'refused')
    assert.equal((await state.admit(null)).isEnabled, true)
    assert.equal((await state.listKeys()).length, 1)
    copyFileSync(`${path}.backup`, path)
    for (const call of [
      () => state.revokeKey(key.accessKey),
      () => state.admit(null),
      () => state.admit(hash),
      () => state.listKeys(),
      () => state.findKey(key.accessKey),
    ])
      await assert.rejects(call, isExchanged)
  } finally {
    await state.close()
  }
  try {
    assert.equal(told.length, 1)
    assert.ok(readFileSync(path).equals(readFileSync(`${path}.backup`)), 'nothing was written into it')
    const again = openSqliteState({ path, clock: systemClock })
    assert.equal((await again.listKeys()).length, 1)
    await again.close()
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a change that was written into a file that is no longer in its place is not confirmed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-'))
  const path = join(folder, 'state.db')
  const state = startSqliteState({ path, clock: systemClock })
  const holder = openSqlite(path)
  try {
    await state.createKey(key, hash)
    holder.exec(`VACUUM INTO '${path}.backup'; BEGIN IMMEDIATE`)
    const revoked = assert.rejects(state.revokeKey(key.accessKey))
    // It waits for the lock by now.
    await wait(100)
    renameSync(`${path}.backup`, path)
    holder.exec('COMMIT')
    await revoked
  } finally {
    holder.close()
    await state.close()
    rmSync(folder, { recursive: true })
  }
})

test('an idle service notices it, too; once it is closed, it opens the file no more', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-'))
  const path = join(folder, 'state.db')
  try {
    const noticed = Promise.withResolvers<string>()
    const idle = startSqliteState({ path, clock: systemClock, onExchanged: noticed.resolve })
    await idle.isEnabled()
    rmSync(`${path}-wal`)
    assert.match(await noticed.promise, /was exchanged/)
    await idle.close()
    const state = startSqliteState({ path, clock: systemClock })
    await state.isEnabled()
    await state.close()
    await assert.rejects(state.findKey(key.accessKey))
    await assert.rejects(state.admit(hash))
    assert.deepEqual([existsSync(path), existsSync(`${path}-wal`)], [true, false])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
