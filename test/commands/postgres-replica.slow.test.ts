// Data from a streaming replica, state on its primary: writes become visible, the lag of the replica is reported, and reads
// continue when the primary is lost.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { makeCompanyAt, queryOf, scriptOn, urlWith } from '../support/own-company.ts'
import { startPostgres, type PostgresServer } from '../support/postgres.ts'
import {
  freePorts,
  runVitrine,
  startServer,
  temporaryFolder,
  until,
  type Answer,
  type Server,
} from '../support/process.ts'

const header = 'x-data-lag-seconds'

let primary: PostgresServer
let standby: PostgresServer
// Both read from the standby; the state of one is on the primary.
let server: Server
let apart: Server
let token = ''
let apartToken = ''
before(async () => {
  primary = await startPostgres()
  const pos = posOf(primary)
  await makeCompanyAt(pos, { stores: [{ id: 1, name: 'Main' }] })
  // Reads a table, slowly.
  await scriptOn(
    pos,
    `ALTER TABLE transfers RENAME TO stored_transfers;
     CREATE VIEW transfers AS SELECT stored_transfers.* FROM stored_transfers, pg_sleep(600)`,
  )
  standby = await startPostgres({ standbyOf: primary, settings: { max_standby_streaming_delay: '100ms' } })
  ;[server, apart] = await Promise.all([
    serve(posOf(standby), urlWith(primary.url, { schema: 'state' })),
    serve(posOf(standby), 'sqlite:state.db'),
  ])
  ;[token, apartToken] = await Promise.all([server.token(), apart.token()])
})
after(async () => {
  await Promise.all([server?.remove(), apart?.remove()])
  await Promise.all([primary?.remove(), standby?.remove()])
})

const posOf = ({ url }: PostgresServer) => urlWith(url, { schema: 'pos' })
const serve = (data: string, state: string) =>
  startServer({
    prepare: () => {},
    settings: { VITRINE_DATABASE_URL: data, VITRINE_STATE_URL: state, VITRINE_READERS: '2' },
  })

let names = 0
/** Writes at the tills: a name that no store had before. */
async function rename(): Promise<string> {
  names += 1
  await scriptOn(posOf(primary), `UPDATE stores SET name = 'Name ${names}'`)
  return `Name ${names}`
}

const list = () => apart.ask('/stores', { token: apartToken })
const nameOf = (answer: Answer) => answer.body.data?.[0]?.name
const lagOf = async () => Number((await apart.ask('/ping', { token: apartToken })).body.data_lag_seconds)
const seen = (name: string) => until(`${name} is seen`, async () => nameOf(await list()) === name)
/** All that was written is there, and known to be. */
const settled = async () => {
  await seen(await rename())
  await until('nothing is missing', async () => (await lagOf()) === 0)
}
const eventsOf = (event: string) => apart.logged().filter((line) => line['event'] === event)

const replay = (what: 'pause' | 'resume') => scriptOn(standby.url, `SELECT pg_wal_replay_${what}()`)
const pauseReplay = async () => {
  await replay('pause')
  await until('replay is paused', async () => {
    const [row] = await queryOf(standby.url, 'SELECT pg_get_wal_replay_pause_state()')
    return row?.[0] === 'paused'
  })
}

test('what is written on the primary is seen; tokens, keys and windows are on the primary', async () => {
  await settled()
  const [first, second] = [await server.ask('/stores', { token }), await server.ask('/stores/1', { token })]
  assert.deepEqual([first.status, second.status], [200, 200])
  assert.equal(Number(second.headers['x-ratelimit-remaining']), Number(first.headers['x-ratelimit-remaining']) - 1)
  const [row] = await queryOf(primary.url, `SELECT count(*) FROM state.windows WHERE name LIKE 'key %' AND count >= 2`)
  assert.equal(row?.[0], 1)
  const key = await server.makeKey()
  const revoked = await server.tokenOf(key)
  assert.equal((await server.ask('/ping', { token: revoked })).status, 200)
  assert.equal((await server.run('keys', 'revoke', key.client_id)).status, 0)
  assert.equal((await server.ask('/ping', { token: revoked })).status, 401)
})

test('/ping tells how far a replica is behind, and has no such field on a primary', async () => {
  const { body } = await apart.ask('/ping', { token: apartToken })
  assert.deepEqual(Object.keys(body), ['ok', 'client', 'scopes', 'data_lag_seconds'])
  assert.equal(typeof body.data_lag_seconds, 'number')
  await until('it is told once', () => eventsOf('reading_from_replica').length === 1)
  const other = await serve(posOf(primary), 'sqlite:state.db')
  try {
    const ping = await other.ask('/ping', { token: await other.token() })
    assert.deepEqual(Object.keys(ping.body), ['ok', 'client', 'scopes'])
    assert.ok(!other.stdout().includes('replica'))
  } finally {
    await other.remove()
  }
})

test('a replica that falls behind: lists and details say so, and it is logged once, until it has caught up', async () => {
  const before = { lag: eventsOf('data_lag').length, over: eventsOf('data_lag_over').length }
  await settled()
  await pauseReplay()
  const writing = new AbortController()
  const tills = (async () => {
    while (!writing.signal.aborted) {
      await rename()
      await wait(50)
    }
  })()
  let last = 0
  try {
    const stale = nameOf(await list())
    for (const least of [2, 3]) {
      const answer = await until('it is further behind', async () => {
        const now = await list()
        assert.equal(now.status, 200)
        const value = now.headers[header]
        assert.match(String(value ?? 2), /^[1-9]\d*$/)
        return Number(value ?? 0) >= least ? now : undefined
      })
      const value = Number(answer.headers[header])
      assert.ok(value >= last && value < 30, `${last}, then ${value}`)
      last = value
      assert.equal(nameOf(answer), stale)
    }
    const detail = await apart.ask('/stores/1', { token: apartToken })
    assert.match(String(detail.headers[header]), /^[1-9]\d*$/)
    const ping = await apart.ask('/ping', { token: apartToken })
    assert.ok(ping.body.data_lag_seconds > 1)
    const others = [
      ping,
      ...(await Promise.all(
        ['/stores/9', '/stores?x=1', '/nothing', '/resources'].map((path) => apart.ask(path, { token: apartToken })),
      )),
    ]
    assert.deepEqual(
      others.map(({ status, headers }) => [status, headers[header]]),
      [200, 404, 400, 404, 200].map((status) => [status, undefined]),
    )
    assert.equal(eventsOf('data_lag').length, before.lag + 1)
    assert.equal(eventsOf('data_lag').at(-1)?.['level'], 'warn')
  } finally {
    writing.abort()
    await tills
    await replay('resume')
  }
  await seen(`Name ${names}`)
  await until('it has caught up', async () => (await list()).headers[header] === undefined)
  await until('that is logged', () => eventsOf('data_lag_over').length === before.over + 1)
  assert.equal(eventsOf('data_lag').length, before.lag + 1)
})

test('a primary at which nothing is written is no lag, nor is its first write after that', async () => {
  await settled()
  const quietSince = performance.now()
  await until('nothing was written for two seconds', async () => {
    const lag = await lagOf()
    assert.ok(lag <= 1, `${lag} s`)
    assert.equal((await list()).headers[header], undefined)
    return performance.now() - quietSince > 2000
  })
  await pauseReplay()
  try {
    const writtenAt = performance.now()
    await rename()
    const lag = await until('the write is known to be missing', lagOf)
    // The lag is measured once a second.
    const mostSeconds = (performance.now() - writtenAt) / 1000 + 1.5
    assert.ok(lag <= mostSeconds, `${lag} s behind, but what is missing was written at most ${mostSeconds} s ago`)
  } finally {
    await replay('resume')
  }
})

test('a statement that the replica must give up for what the primary did gets 503', async () => {
  // A busy machine may take so long to write that the service has stopped the statement before: then once more.
  await until('the replica gave a statement up', async () => {
    let hasEnded = false
    const slow = apart.ask('/transfers', { token: apartToken }).finally(() => (hasEnded = true))
    await until('it runs', async () => {
      const [row] = await queryOf(standby.url, `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`)
      return hasEnded || row?.[0] === 1
    })
    await scriptOn(
      posOf(primary),
      'ALTER TABLE stored_transfers ADD COLUMN note text; ALTER TABLE stored_transfers DROP COLUMN note',
    )
    const answer = await slow
    assert.deepEqual([answer.status, answer.body.error?.code], [503, 'temporarily_unavailable'], answer.text)
    const { cause } = (await apart.lineOf(answer)) as { cause?: { message?: string } }
    return /conflict with recovery/.test(cause?.message ?? '')
  })
  assert.equal((await list()).status, 200)
})

test('the doctor looks at a replica, and what is not answered there is no failure', async () => {
  const { status, stdout } = await runVitrine(['check', '--json', '--quick', '--timeout', '1'], {
    VITRINE_DATABASE_URL: posOf(standby),
  })
  const { ok, findings } = JSON.parse(stdout) as {
    ok: boolean
    findings: { code: string; relation: string | null }[]
  }
  assert.deepEqual([status, ok], [0, true])
  assert.ok(findings.some(({ code, relation }) => code === 'not_answered' && relation === 'transfers'))
})

test('the primary killed: the replica is read on where the state is elsewhere, and nothing is let through where it was', async () => {
  await settled()
  await primary.kill()
  try {
    await until('the state is lost', async () => (await server.ask('/stores', { token })).status === 503)
    for (let count = 0; count < 20; count += 1) {
      const [read, refused] = await Promise.all([list(), server.ask('/stores', { token })])
      assert.deepEqual([read.status, nameOf(read), refused.status], [200, `Name ${names}`, 503])
    }
    // What the tills have written since is unknown.
    await until('it counts as behind', async () => (await list()).headers[header])
  } finally {
    await primary.start()
  }
  await until('the state is back', async () => (await server.ask('/stores', { token })).status === 200)
  await settled()
  await until('it has caught up', async () => (await list()).headers[header] === undefined)
})

test('state on a replica is refused at the start', async () => {
  const folder = temporaryFolder()
  for (const schema of ['state', 'another_state']) {
    const ended = await runVitrine(['serve'], {
      VITRINE_DATA_DIR: folder,
      ...freePorts,
      VITRINE_DATABASE_URL: posOf(standby),
      VITRINE_STATE_URL: urlWith(standby.url, { schema }),
    })
    assert.deepEqual([ended.status, ended.stdout], [2, ''])
    assert.match(ended.stderr, /^vitrine: .*VITRINE_STATE_URL.*replica.*primary\.\n$/)
  }
  rmSync(folder, { recursive: true })
})
