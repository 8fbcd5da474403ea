// Several instances on one state and one company's data, both in PostgreSQL, in real processes. They are asked as a load
// balancer asks them: at their plain ports, by a trusted proxy that tells for whom.
import assert from 'node:assert/strict'
import { connectPostgres } from '../../src/platform/postgres/connection.ts'
import { createKey, type KeyInput } from '../../src/keys/keys.ts'
import { parsePostgresUrl } from '../../src/platform/postgres/url.ts'
import { postgresSchema } from '../../src/sql/postgres-schema.ts'
import { tableStatements } from '../../src/sql/schema.ts'
import { migrateState } from '../../src/state/postgres/schema.ts'
import { createPostgresState } from '../../src/state/postgres/state.ts'
import { filledRow } from './fixture.ts'
import { makePostgresPos, urlOf } from './place-postgres.ts'
import type { Rows } from './pos.ts'
import { makeSchema, newSchema, sharedPostgresUrl } from './postgres.ts'
import { startServer, type Answer, type Asked, type Settings } from './process.ts'
import { runCommand } from './run-command.ts'

export interface Credentials {
  readonly client_id: string
  readonly client_secret: string
}

const rows: Rows = {
  stores: [filledRow('stores', 1), filledRow('stores', 2)],
  price_lists: [filledRow('price_lists', 1), filledRow('price_lists', 2)],
  products: [filledRow('products', 1)],
  product_prices: [{ product_id: 1, price_list_id: 2, price: 7, second_unit_price: 8 }],
}

export type Instances = Awaited<ReturnType<typeof startInstances>>

/** One instance for each entry, which holds what it has of its own. */
export async function startInstances(each: readonly Settings[] = [{}, {}, {}]) {
  const state = await makeSchema('state')
  const data = newSchema('pos')
  const url = new URL(await sharedPostgresUrl())
  url.searchParams.set('schema', data)
  const settings: Settings = {
    VITRINE_DATABASE_URL: url.href,
    VITRINE_STATE_URL: state.url,
    VITRINE_TRUST_PROXY: '127.0.0.1',
    VITRINE_ANONYMOUS_RATE: '1000000',
  }
  const tills = await connectPostgres(await urlOf(data), {
    timeoutMs: 30_000,
    setUp: `SET search_path = ${data}, public`,
  })
  await makePostgresPos(tills, data, rows, tableStatements(postgresSchema))
  const parsed = parsePostgresUrl(state.url, '', '/')
  if ('fault' in parsed) throw new Error(parsed.fault)
  await migrateState(parsed.value)
  const keys = createPostgresState({ url: parsed.value, connections: 1, timeoutMs: 30_000 })
  const start = (own: Settings, folder?: string) =>
    startServer({ settings: { ...settings, ...own }, prepare: () => {}, ...(folder === undefined ? {} : { folder }) })
  const started = await Promise.allSettled(each.map((own) => start(own)))
  const running = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  let addresses = 0
  const remove = async () => {
    await Promise.all([...running.map((instance) => instance.remove()), keys.close()])
    await tills.script(`DROP SCHEMA ${data} CASCADE`)
    await Promise.all([tills.close(), state.drop()])
  }
  const failed = started.find((one) => one.status === 'rejected')
  if (failed) {
    await remove()
    throw failed.reason
  }

  const ask = (at: number, path: string, { from = '10.0.0.1', ...asked }: Asked & { from?: string } = {}) => {
    const forwarded = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': from }
    const instance = running[at % running.length]
    assert.ok(instance)
    return instance.ask(path, { ...asked, isPlain: true, headers: { ...asked.headers, ...forwarded } })
  }
  /** A new address, so that the rate limit of token requests does not matter. */
  const newAddress = () => `10.1.${((addresses += 1) >> 8) & 255}.${addresses & 255}`

  return {
    count: running.length,
    /** The state as another instance has it, or the command line. */
    state: keys,
    ask,
    newAddress,
    /** What the state has stored, seen and changed behind the service's back. */
    query: (text: string, values?: readonly unknown[]) => state.query(text, values),
    signIn: (at: number, { client_id, client_secret }: Credentials, from = newAddress()) =>
      ask(at, '/auth/token', {
        from,
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }).toString(),
      }),
    async tokenOf(key: Credentials, at = 0): Promise<string> {
      const answer = await this.signIn(at, key)
      assert.equal(answer.status, 200, answer.text)
      return String(answer.body.access_token)
    },
    async makeKey(input: KeyInput = {}): Promise<Credentials> {
      const made = await createKey(keys, { name: 'Test', permissions: 'all', rate: '1000000', ...input })
      if ('faults' in made) throw new Error(made.faults.map(({ sentence }) => sentence).join(' '))
      return { client_id: made.key.accessKey, client_secret: made.securityCode }
    },
    /** A command of the command line, which must do what it is told. */
    async run(...words: string[]): Promise<string> {
      const { status, stdout, stderr } = await runCommand(words, settings)
      assert.equal(status, 0, stderr)
      return stdout
    },
    /** Ends an instance as given and starts it again, with what it had. */
    async restart(at: number, signal: NodeJS.Signals): Promise<void> {
      const old = running[at]
      assert.ok(old)
      await old.stop(signal)
      running[at] = await start(each[at] ?? {}, old.data)
    },
    remove,
  }
}

export interface Heard {
  readonly at: number
  readonly startedAt: number
  readonly answer: Answer
}

/** Asks every instance without a pause, `each` at a time, until it is stopped. */
export function keepAsking({ count }: Instances, ask: (at: number) => Promise<Answer>, each = 1) {
  const heard: Heard[] = []
  const stopped = new AbortController()
  const work = Promise.all(
    Array.from({ length: count * each }, async (_, worker) => {
      const at = worker % count
      while (!stopped.signal.aborted) {
        const startedAt = performance.now()
        heard.push({ at, startedAt, answer: await ask(at) })
      }
    }),
  )
  // `stop` reports a failure.
  work.catch(() => {})
  const since = (time: number) => heard.filter(({ startedAt }) => startedAt > time)
  return {
    heard,
    since,
    /** Whether every instance has answered `most` requests that started after a time. */
    hasAsked: (time: number, most: number) =>
      Array.from({ length: count }, (_, at) => at).every(
        (at) => since(time).filter((one) => one.at === at).length >= most,
      ),
    async stop(): Promise<void> {
      stopped.abort()
      await work
    },
  }
}
