// The cache of admissions: callers without a token cost next to nothing; a token from a wrong address is looked up each time, like an
// unknown one; a cached standing ends with its key.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '../../../src/platform/clock.ts'
import { createAdmissions } from '../../../src/state/sqlite/admissions.ts'
import { openSqliteState } from '../../../src/state/sqlite/state.ts'
import { makeStatePlace } from '../../support/postgres-state.ts'
import { hashSecret } from '../../../src/auth/secrets.ts'
import { manualClock } from '../../../src/platform/clock.ts'
import { openStore } from '../../../src/state/sqlite/store.ts'
import { attemptOf } from '../../support/postgres-state.ts'

test('a state in a file is asked once for callers without a token, until it changes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-'))
  const path = join(folder, 'state.db')
  const state = openSqliteState({ path, clock: systemClock })
  let lookUps = 0
  const lookUp = async () => {
    lookUps += 1
    return { isEnabled: await state.isEnabled(), token: null }
  }
  const admissions = createAdmissions({ path, clock: systemClock, lookUp })
  try {
    for (let turn = 0; turn < 500; turn += 1) assert.equal((await admissions.admit(null)).isEnabled, true)
    assert.equal(lookUps, 1)
    await state.setEnabled(false)
    for (let turn = 0; turn < 500; turn += 1) assert.equal((await admissions.admit(null)).isEnabled, false)
    assert.equal(lookUps, 2)
  } finally {
    admissions.close()
    await state.close()
    rmSync(folder, { recursive: true })
  }
})

test('a state on PostgreSQL runs one statement for all callers without a token that wait', async () => {
  const place = await makeStatePlace()
  try {
    const state = place.open()
    const key = await state.tokenKey()
    assert.equal(key.length, 32)
    assert.deepEqual(await place.open().tokenKey(), key)
    const held = await place.hold('LOCK TABLE company')
    // A result from before the lock is used for a moment; then all wait for the same statement.
    const waiting: Promise<unknown>[] = []
    await place.waiting(1)
    const isHeldUp = async () => {
      const answer = state.admit(null)
      waiting.push(answer)
      await place.rows('SELECT 1')
      const isAnswered = await Promise.race([answer.then(() => true), wait(10, false)])
      return !isAnswered
    }
    while (!(await isHeldUp()));
    for (let turn = 0; turn < 200; turn += 1) waiting.push(state.admit(null))
    const [[sessions] = []] = await place.rows(
      `SELECT count(*)::int FROM pg_locks WHERE NOT granted AND relation = '${place.url.schema}.company'::regclass`,
    )
    await held.rollback()
    // Two states are open: each looks by itself.
    assert.ok(Number(sessions) <= 2, `${String(sessions)} wait`)
    for (const each of await Promise.all(waiting)) assert.deepEqual(each, { isEnabled: true, admitted: null })
  } finally {
    await place.remove()
  }
})

const begin = 1_700_000_000_000

test('a token from a wrong address is looked up each time, like an unknown one; a valid one once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-admissions-'))
  const path = join(folder, 'state.db')
  const [clock, store] = [manualClock(begin), openStore(path, 500)]
  let asked = 0
  const admissions = createAdmissions({
    path,
    clock,
    async lookUp(tokenHash, fullAddress) {
      asked += 1
      return store.standing(clock.now(), tokenHash, fullAddress)
    },
  })
  try {
    const terms = { accessKey: 'svc_ak_one', name: 'Shop', permissions: [], stores: null, priceList: null, rate: 60 }
    const expires = { day: '2023-11-14', at: begin + 60_000 }
    store.createKey(begin, { ...terms, addresses: ['192.0.2.0/28'], expires }, hashSecret('code'))
    const attempt = attemptOf({ accessKey: terms.accessKey, securityCode: 'code' }, '192.0.2.1')
    assert.equal(store.requestToken(begin, { ...attempt, fullAddress: '192.0.2.1' }).is, 'granted')
    const lookUps = async (token: Uint8Array, from: string) => {
      const before = asked
      const admitted: boolean[] = []
      while (admitted.length < 4) admitted.push((await admissions.admit(token, from)).admitted !== null)
      assert.equal(new Set(admitted).size, 1)
      return [admitted[0], asked - before]
    }
    assert.deepEqual(await lookUps(hashSecret('unknown'), '192.0.2.1'), [false, 4])
    assert.deepEqual(await lookUps(attempt.tokenHash, '192.0.2.1'), [true, 1])
    assert.deepEqual(await lookUps(attempt.tokenHash, '198.51.100.1'), [false, 4])
    assert.deepEqual(await lookUps(attempt.tokenHash, '192.0.2.1'), [true, 0])
    clock.advance(60_000)
    // The file was not written.
    assert.deepEqual(await lookUps(attempt.tokenHash, '192.0.2.1'), [false, 0])
  } finally {
    admissions.close()
    store.close()
    rmSync(folder, { recursive: true })
  }
})
