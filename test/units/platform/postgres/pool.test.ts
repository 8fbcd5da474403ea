// The pool on a real server: waiting, refusals, and which connections are used again or thrown away.
import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { PostgresFailure, type PostgresConnection } from '../../../../src/platform/postgres/connection.ts'
import { createPool, type Pool, type PoolOptions } from '../../../../src/platform/postgres/pool.ts'
import { urlOf } from '../../../support/place-postgres.ts'
import { dropSchemas, makeSchema, type Schema } from '../../../support/postgres.ts'
import { startProxy } from '../../../support/postgres-proxy.ts'
import { until } from '../../../support/process.ts'

let schema: Schema
before(async () => {
  schema = await makeSchema('pool')
})
after(dropSchemas)

let made = 0
async function poolOf(context: TestContext, options: Partial<PoolOptions> = {}) {
  const name = `${schema.name}_${(made += 1)}`
  const seen = { lost: 0, back: 0 }
  const pool = createPool({
    url: await urlOf(schema.name),
    size: 1,
    setUp: `SET application_name = '${name}'`,
    waitMs: 10_000,
    workMs: 10_000,
    onLost: () => (seen.lost += 1),
    onBack: () => (seen.back += 1),
    ...options,
  })
  context.after(() => pool.close())
  return {
    pool,
    seen,
    // The processes of the server that serve this pool.
    backends: async () =>
      (await schema.query('SELECT pid, query FROM pg_stat_activity WHERE application_name = $1', [name])) as {
        pid: number
        query: string
      }[],
  }
}

const pidOf = async (connection: PostgresConnection) =>
  Number((await connection.rows('SELECT pg_backend_pid()'))[0]?.[0])
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
const isFailure = (why: RegExp) => (error: unknown) => error instanceof PostgresFailure && why.test(error.message)

// However long that takes here.
const connected = (pool: Pool) => until('a connection is there', () => pool.use(pidOf).catch(() => 0))

// Work that holds its connection until it is released.
async function holdOne(context: TestContext, pool: Pool) {
  const started = Promise.withResolvers<PostgresConnection>()
  const released = Promise.withResolvers<void>()
  const done = pool.use(async (connection) => {
    started.resolve(connection)
    await released.promise
  })
  done.catch(started.reject)
  await started.promise
  const release = () => {
    released.resolve()
    return done.catch(() => {})
  }
  context.after(release)
  return { release }
}

test('a connection is used again, and there are never more than so many', async (context) => {
  const { pool, backends } = await poolOf(context, { size: 3 })
  const pids = await Promise.all(Array.from({ length: 60 }, () => pool.use(pidOf)))
  const used = new Set(pids)
  assert(used.size <= 3)
  assert(used.has(await pool.use(pidOf)))
  assert((await backends()).length <= 3)
})

test('500 may wait for each connection, the next is refused at once, and all that waited are served', async (context) => {
  const { pool } = await poolOf(context)
  const held = await holdOne(context, pool)
  const waiting = Array.from({ length: 500 }, async (_, at) => pool.use(async () => at))
  await assert.rejects(
    pool.use(async () => 500),
    isFailure(/too many requests wait/),
  )
  await held.release()
  assert.deepEqual(
    await Promise.all(waiting),
    Array.from({ length: 500 }, (_, at) => at),
  )
})

test('who waits too long for a connection is refused and leaves the queue', async (context) => {
  const { pool } = await poolOf(context, { waitMs: 50 })
  await connected(pool)
  const held = await holdOne(context, pool)
  let wasServed = false
  const late = pool.use(async () => (wasServed = true))
  await assert.rejects(late, (error: unknown) => error instanceof PostgresFailure && error.isCrowded)
  await held.release()
  await pool.use(pidOf)
  assert.equal(wasServed, false)
})

test('who hangs up while waiting leaves the queue', async (context) => {
  const { pool } = await poolOf(context)
  const held = await holdOne(context, pool)
  const caller = new AbortController()
  let wasServed = false
  const left = pool.use(async () => (wasServed = true), caller.signal)
  caller.abort()
  await assert.rejects(left, isFailure(/hung up/))
  await held.release()
  await pool.use(pidOf)
  assert.equal(wasServed, false)
})

const spoiling: Record<string, (connection: PostgresConnection) => Promise<unknown>> = {
  'of a work that failed in JavaScript': async () => {
    throw new TypeError('a mistake')
  },
  'whose statement failed': (connection) => connection.script('SELECT 1 / 0'),
  'left in a transaction': (connection) => connection.script('BEGIN'),
  'left in a transaction that failed': async (connection) => {
    await connection.script('BEGIN')
    await connection.script('SELECT 1 / 0').catch(() => 'as if nothing were wrong')
  },
}
for (const [name, spoil] of Object.entries(spoiling)) {
  test(`a connection ${name} is given up, and its process on the server ends`, async (context) => {
    const { pool, backends } = await poolOf(context)
    let pid = 0
    await pool
      .use(async (connection) => {
        pid = await pidOf(connection)
        await spoil(connection)
      })
      .catch(() => {})
    assert.notEqual(await pool.use(pidOf), pid)
    await until('the process ends', async () => (await backends()).every((backend) => backend.pid !== pid))
  })
}

test('a work that takes too long is late, and the server stops its statement', async (context) => {
  const { pool, backends } = await poolOf(context, { workMs: 100 })
  const slow = pool.use((connection) => connection.rows('SELECT pg_sleep(60)'))
  await assert.rejects(slow, (error: unknown) => error instanceof PostgresFailure && error.isLate)
  await until('the statement is stopped', async () =>
    (await backends()).every(({ query }) => !query.includes('pg_sleep')),
  )
  await pool.use(pidOf)
})

test('the statement of a caller that hangs up is stopped', async (context) => {
  const { pool, backends } = await poolOf(context)
  const caller = new AbortController()
  const slow = pool.use((connection) => connection.rows('SELECT pg_sleep(60)'), caller.signal)
  await until('it runs', async () => (await backends()).some(({ query }) => query.includes('pg_sleep')))
  caller.abort()
  await assert.rejects(slow, isFailure(/hung up/))
  await until('the statement is stopped', async () =>
    (await backends()).every(({ query }) => !query.includes('pg_sleep')),
  )
})

test('a work that is stopped and does not end is not to be stopped for ever', async (context) => {
  await until('what came before is over', () => timers() === 0)
  const { pool } = await poolOf(context, { workMs: 50 })
  const released = Promise.withResolvers<void>()
  context.after(() => released.resolve())
  await assert.rejects(
    pool.use(() => released.promise),
    (error: unknown) => error instanceof PostgresFailure && error.isLate,
  )
  await pool.close()
  await until('nothing is planned any more', () => timers() === 0)
})

test('a server that is away is looked for with growing pauses, however many ask, and is found again', async (context) => {
  const url = await urlOf(schema.name)
  const proxy = await startProxy(url)
  context.after(() => proxy.remove())
  const { pool, seen } = await poolOf(context, { url: { ...url, port: proxy.port }, size: 4 })
  await pool.use(pidOf)
  proxy.close()
  const before = proxy.attempts.length
  let refused = 0
  await until('six attempts were made', async () => {
    const asked = Array.from({ length: 20 }, () => pool.use(pidOf))
    for (const { status } of await Promise.allSettled(asked)) refused += status === 'rejected' ? 1 : 0
    return proxy.attempts.length >= before + 6
  })
  // Four attempts may have been under way when the first was refused; after that they come one by one.
  const attempts = proxy.attempts.slice(before)
  const pauses = attempts.slice(1).map((at, index) => Math.round(at - (attempts[index] ?? 0)))
  const length = (attempts.at(-1) ?? 0) - (attempts[0] ?? 0)
  assert(refused > 0 && seen.lost === 1, `${refused} refused, lost ${seen.lost} times`)
  assert(length >= 50 + 100 - 20, `pauses of ${pauses.join(', ')} ms`)
  for (const [at, pause] of pauses.entries())
    if (at >= 3) assert(pause >= 50 * 2 ** (at - 3) - 20, `pauses of ${pauses.join(', ')} ms`)
  proxy.open()
  await until('the server is back', () => pool.use(pidOf).catch(() => 0))
  assert.deepEqual(seen, { lost: 1, back: 1 })
})

test('a server that takes no more connections is not asked for one by each who waits', async (context) => {
  const url = await urlOf(schema.name)
  const proxy = await startProxy(url)
  context.after(() => proxy.remove())
  const role = `${schema.name}_few`
  await schema.query(`CREATE ROLE ${role} LOGIN PASSWORD 'few' CONNECTION LIMIT 1`)
  const few = { ...url, port: proxy.port, user: role, password: 'few' }
  const { pool, seen } = await poolOf(context, { url: few, size: 4, waitMs: 20 })
  context.after(() => schema.query(`DROP ROLE ${role}`))
  await connected(pool)
  const held = await holdOne(context, pool)
  const before = { attempts: proxy.attempts.length, ...seen }
  const begin = performance.now()
  for (let time = 0; time < 40; time += 1)
    for (const { status } of await Promise.allSettled(Array.from({ length: 5 }, () => pool.use(pidOf))))
      assert.equal(status, 'rejected')
  const seconds = (performance.now() - begin) / 1000
  // Up to three at once, then a pause that grows to a second.
  const attempts = proxy.attempts.length - before.attempts
  assert(attempts <= 20 + 3 * seconds, `${attempts} attempts in ${seconds} s`)
  await held.release()
  // On a busy machine a wait of 20 ms may be over before the connection is back.
  await until('the connection serves again', () => pool.use(pidOf).catch(() => undefined))
  assert.deepEqual({ attempts: before.attempts, ...seen }, before, 'with one connection the server is not lost')
})

test('close refuses those who wait and those who come, and leaves no connection', async (context) => {
  const { pool, backends } = await poolOf(context, { size: 2 })
  const held = [await holdOne(context, pool), await holdOne(context, pool)]
  const waiting = Array.from({ length: 5 }, () => pool.use(pidOf))
  const refused = Promise.all(waiting.map((each) => assert.rejects(each, isFailure(/closed/))))
  assert.equal((await backends()).length, 2)
  await pool.close()
  await refused
  await assert.rejects(pool.use(pidOf), isFailure(/closed/))
  await Promise.all(held.map(({ release }) => release()))
  await until('no connection is left', async () => (await backends()).length === 0)
})

test('a pool closed while it connects leaves no connection either', async (context) => {
  const { pool, backends } = await poolOf(context, { size: 2 })
  const asked = pool.use(pidOf)
  const refused = assert.rejects(asked, isFailure(/closed/))
  await pool.close()
  await refused
  await until('no connection is left', async () => (await backends()).length === 0)
})

test('close does not wait for a server that does not answer', { timeout: 20_000 }, async (context) => {
  const url = await urlOf(schema.name)
  const proxy = await startProxy(url)
  const { pool } = await poolOf(context, { url: { ...url, port: proxy.port } })
  await pool.use(pidOf)
  proxy.fallSilent()
  await pool.close()
  await proxy.remove()
})
