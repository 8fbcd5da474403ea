// Whole answers, remembered with the snapshot they were read in. A snapshot is the set of transactions whose changes it shows:
// if a new one is equal, everything reads the same, and nothing stale is ever served. That holds for ordinary tables of a
// primary server alone; wherever it does not, nothing is remembered.
import { relations } from '../../contract/relations.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import type { Pool } from '../../postgres/pool.ts'
import type { Plan } from '../../query/plan.ts'
import type { Answer } from '../engine.ts'
import { answerKey, createAnswerMemory } from '../remembered-answers.ts'

// With the history it belongs to: after a crash or a failover, transactions that were lost may leave their numbers to others.
// On a replica a snapshot does not name all that it hides.
const snapshotQuery = `SELECT CASE WHEN NOT pg_is_in_recovery() THEN concat_ws(' ', pg_current_snapshot(),
  left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), pg_postmaster_start_time()) END`

// What others compute or keep elsewhere may change without a transaction here: views, foreign tables, policies.
const tablesQuery = `SELECT count(*) = ${relations.length} FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_am a ON a.oid = c.relam AND a.amname = 'heap'
  WHERE c.oid IN (${relations.map(({ name }) => `to_regclass('${name}')`).join(', ')})
    AND c.relkind = 'r' AND NOT c.relhassubclass AND NOT c.relrowsecurity`

export async function areTables(connection: PostgresConnection): Promise<boolean> {
  const [row] = await connection.rows(tablesQuery)
  return row?.[0] === true
}

// Engines that speak like PostgreSQL keep their transactions in other ways.
const genuineQuery = `SELECT version() ~ '^PostgreSQL [0-9.]+ ' AND version() !~ '-YB-'
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname IN ('citus', 'spock', 'bdr'))`

// After so many looks in vain in a row, nothing is remembered for a while: somebody writes all the time.
const mostInVain = 20
const restMs = 1000

// `pool` is for looks alone: what is in memory does not wait for those who read.
export function rememberAnswers(pool: Pool) {
  const known = createAnswerMemory()
  // The snapshot of all that is known.
  let version: string | undefined
  let isGenuine = false
  let looking: Promise<string | undefined> | undefined
  let lastLook: Promise<unknown> = Promise.resolve()
  let checked: { readonly snapshot: string; readonly areTables: boolean } | undefined
  // Connections lost so far: what was read before does not count after.
  let losses = 0
  let inVain = 0
  let restsUntil = 0

  const isResting = () => !isGenuine || performance.now() < restsUntil

  const become = (snapshot: string | undefined) => {
    if (snapshot === version) return
    known.clear()
    version = snapshot
  }

  const lookNow = async () => {
    looking = undefined
    const since = losses
    // Away or busy: who reads will hear of it.
    const snapshot = await pool.use((connection) => readSnapshot(connection)).catch(() => undefined)
    inVain = snapshot === version ? 0 : inVain + 1
    become(losses === since ? snapshot : undefined)
    if (inVain === mostInVain) {
      inVain = 0
      restsUntil = performance.now() + restMs
    }
    return version
  }

  // One at a time, for all who have asked before it begins.
  const look = () => {
    looking ??= lastLook.then(() => new Promise(setImmediate)).then(lookNow)
    lastLook = looking
    return looking
  }

  // The snapshot of the transaction under way, if what it shows may be remembered by it.
  const snapshotOf = async (connection: PostgresConnection) => {
    const snapshot = await readSnapshot(connection)
    if (snapshot === undefined) return undefined
    if (checked?.snapshot !== snapshot) checked = { snapshot, areTables: await areTables(connection) }
    return checked.areTables ? snapshot : undefined
  }

  return {
    // Whether the server is one whose snapshots tell; one that does not know the questions is none.
    async ask(connection: PostgresConnection) {
      const answers = await Promise.all([connection.rows(genuineQuery), readSnapshot(connection)]).catch(
        () => undefined,
      )
      isGenuine = answers?.[0][0]?.[0] === true && answers[1] !== undefined
    },

    async find(plan: Plan): Promise<Answer | undefined> {
      if (isResting()) return undefined
      const key = answerKey(plan)
      if (!known.has(key)) return undefined
      const current = await look()
      return current !== undefined && current === version ? known.get(key) : undefined
    },

    // Reads answers within a transaction, and keeps them.
    async keep(
      plans: readonly Plan[],
      connection: PostgresConnection,
      read: () => Promise<readonly Answer[]>,
    ): Promise<readonly Answer[]> {
      if (isResting()) return read()
      const since = losses
      const [snapshot, answers] = await Promise.all([snapshotOf(connection), read()])
      if (snapshot !== undefined && losses === since) {
        become(snapshot)
        for (const [at, answer] of answers.entries()) known.set(answerKey(plans[at] as Plan), answer)
      }
      return answers
    },

    // A connection was lost: perhaps the server, and what it had not written down yet.
    forget() {
      losses += 1
      checked = undefined
      become(undefined)
    },
  }
}

async function readSnapshot(connection: PostgresConnection): Promise<string | undefined> {
  const [row] = await connection.rows(snapshotQuery)
  return typeof row?.[0] === 'string' ? row[0] : undefined
}
