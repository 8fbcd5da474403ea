// Repeated kill -9 while tokens are granted: every token that a caller has received in full works after the
// restart, and no limit is weaker. The state is written to its log before an answer goes out, and what a process has
// written survives its end: a kill loses nothing. (A power cut may take the last moments: `synchronous` is NORMAL, and clients
// replace a lost token. Windows of keys are counted in memory, and a kill resets them.)
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { howMuch, told } from '../support/how-much.ts'
import { startServer, until, type Server } from '../support/process.ts'
import { behindProxy, newAddress, proxied, type Credentials } from '../support/proxied.ts'

const kills = howMuch(12, 200)
const signers = 12
// A token lives for 900 s; what is older than this is not asked for again.
const remembersMs = 600_000

interface Round {
  readonly tokens: { readonly token: string; readonly at: number }[]
  /** The caller that uses up its window, and the tokens it received. */
  readonly hasty: { readonly address: string; granted: number }
  /** The caller that guesses, and its answered failures. */
  readonly guesser: { readonly address: string; failed: number; asked: number }
}

async function untilGone(act: () => Promise<void>): Promise<void> {
  try {
    for (;;) await act()
  } catch (error) {
    if (!['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(String((error as NodeJS.ErrnoException).code))) throw error
  }
}

/** All callers send requests until the service is gone. */
async function askUntilGone(server: Server, key: Credentials): Promise<Round> {
  const via = proxied(server)
  const round: Round = {
    tokens: [],
    hasty: { address: newAddress(), granted: 0 },
    guesser: { address: newAddress(), failed: 0, asked: 0 },
  }
  const callers = Array.from({ length: signers }, () =>
    untilGone(async () => {
      const { status, body, text } = await via.signIn(key)
      assert.equal(status, 200, text)
      round.tokens.push({ token: String(body.access_token), at: performance.now() })
    }),
  )
  callers.push(
    untilGone(async () => {
      const { status } = await via.signIn(key, round.hasty.address)
      assert([200, 429].includes(status), String(status))
      if (status === 200) round.hasty.granted += 1
      await wait(5)
    }),
    untilGone(async () => {
      // The fifth failure would block; /status still shows when the service is gone.
      if (round.guesser.asked === 4) {
        await wait(20)
        await via.ask('/status')
        return
      }
      round.guesser.asked += 1
      const { status } = await via.signIn({ ...key, client_secret: 'svc_sk_wrong' }, round.guesser.address)
      assert.equal(status, 401)
      round.guesser.failed += 1
    }),
  )
  await until('tokens are given out', () => round.tokens.length > 5)
  await wait(Math.random() * 150)
  server.child.kill('SIGKILL')
  await Promise.all([server.ended, ...callers])
  via.close()
  return round
}

interface Stored {
  readonly integrity: unknown
  readonly keys: readonly unknown[]
  readonly block: unknown
  readonly widest: number
  readonly failuresOf: (address: string) => number
}

/** What a killed process has left, looked at in a copy: the next start finds the files as they are. */
function look(server: Server, blocked: string): Stored {
  const folder = mkdtempSync(join(server.data, 'copy-'))
  for (const suffix of ['', '-wal'])
    if (existsSync(join(server.data, `state.db${suffix}`)))
      copyFileSync(join(server.data, `state.db${suffix}`), join(folder, `state.db${suffix}`))
  const database = openSqlite(join(folder, 'state.db'))
  try {
    const failures = database.prepare('SELECT * FROM failures').all()
    return {
      integrity: database
        .prepare('PRAGMA integrity_check')
        .all()
        .map((row) => row['integrity_check']),
      keys: database.prepare('SELECT * FROM keys ORDER BY access_key').all(),
      block: failures.filter(({ address }) => address === blocked),
      widest: Number(
        database.prepare(`SELECT max(count) AS most FROM windows WHERE name LIKE 'token %'`).get()?.['most'],
      ),
      failuresOf: (address) =>
        Math.max(0, ...failures.filter((row) => row['address'] === address).map((row) => Number(row['count']))),
    }
  } finally {
    database.close()
    rmSync(folder, { recursive: true })
  }
}

test(`killed ${kills} times while tokens are given out: none that was received is lost, and no limit is wider`, async (context) => {
  let server = await startServer({ settings: behindProxy })
  context.after(() => server.remove())
  const key = await server.makeKey('--rate', '1000000')
  await server.makeKey('--rate', '7', '--stores', '1,2')
  const blocked = newAddress()
  const before = proxied(server)
  for (let turn = 0; turn < 5; turn += 1) await before.signIn({ ...key, client_secret: 'svc_sk_wrong' }, blocked)
  assert.equal((await before.signIn(key, blocked)).status, 429)
  before.close()
  await server.stop()
  server = await startServer({ folder: server.data, settings: behindProxy })
  const first = look(server, blocked)
  assert.equal(first.keys.length, 2)

  const all: Round['tokens'] = []
  let asked = 0
  for (let turn = 0; turn < kills; turn += 1) {
    const begun = performance.now()
    const { tokens, hasty, guesser } = await askUntilGone(server, key)
    all.push(...tokens)
    const left = look(server, blocked)
    assert.deepEqual([left.integrity, left.keys, left.block], [['ok'], first.keys, first.block])
    assert(left.widest <= 10, `a window of ${left.widest}`)
    const failures = left.failuresOf(guesser.address)
    assert(failures >= guesser.failed && failures <= guesser.asked, `${failures} failures of ${guesser.failed}`)

    server = await startServer({ folder: server.data, settings: behindProxy })
    const via = proxied(server)
    // Those of this round, and some of the ones before it.
    const older = all.filter(({ at }) => performance.now() - at < remembersMs && Math.random() < 20 / all.length)
    for (const { token } of [...tokens, ...older]) {
      const { status, text } = await via.ask('/ping', { token })
      assert.equal(status, 200, `turn ${turn}: a token that was received: ${text}`)
      asked += 1
    }
    assert.equal((await via.signIn(key, blocked)).status, 429)
    // The window goes on where it was: ten in all, unless its minute is over.
    while ((await via.signIn(key, hasty.address)).status === 200) hasty.granted += 1
    if (performance.now() - begun < 55_000) assert(hasty.granted <= 10, `${hasty.granted} tokens from one address`)
    via.close()
  }
  told(`kill -9: ${kills} times, ${all.length} tokens received, asked for ${asked} times, none lost`)
})
