// The audit and the usage of each key, on PostgreSQL.
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { inTransaction, type Pool } from '../../platform/postgres/pool.ts'
import {
  hasOwnEntry,
  mayCountAddress,
  moreBlocked,
  readBlocksOfHour,
  theService,
  type NewAuditEntry,
} from '../audit.ts'
import { hourMs, hourOf } from '../rows.ts'
import type { Permission } from '../../catalogue/access.ts'
import type { Act, AuditEntry, History, LastUse } from '../state.ts'
import { readUsage, usageStatement } from '../usage.ts'
import { nowSql } from './shared-sql.ts'

const add = `INSERT INTO audit (at, by, act, subject, details) VALUES (${nowSql}, $2, $3, $4, $5)`

// Within the transaction of the act.
export async function noteAct(
  connection: PostgresConnection,
  now: number | null,
  { act, subject, details }: NewAuditEntry,
  by = theService,
): Promise<void> {
  await connection.rows(add, [now, by, act, subject, JSON.stringify(details)])
}

// Instances write blocks one after the other, so that no two count the same entries.
const lockBlocks = `SELECT pg_advisory_xact_lock(hashtext('vitrine'), hashtext('blocks of ' || current_schema()))`
const blocksOfHour = `SELECT act, count(*), max(id), max(details) FROM audit
  WHERE at >= $1 AND at < $2 AND act IN ('caller blocked', 'more callers blocked') GROUP BY act`
const addAddress = 'INSERT INTO blocked_addresses (hour, address) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1'

// Within the transaction of the failure.
export async function noteBlocks(
  connection: PostgresConnection,
  now: number,
  blocks: readonly NewAuditEntry[],
): Promise<void> {
  if (blocks.length > 0) await connection.rows(lockBlocks)
  for (const block of blocks) {
    const hour = hourOf(now)
    const soFar = readBlocksOfHour(await connection.rows(blocksOfHour, [hour, hour + hourMs]))
    if (hasOwnEntry(soFar)) {
      await noteAct(connection, now, block)
      continue
    }
    const isNewAddress = mayCountAddress(soFar) && (await connection.rows(addAddress, [hour, block.subject])).length > 0
    const entry = moreBlocked(soFar, isNewAddress)
    if (soFar.summary)
      await connection.rows('UPDATE audit SET details = $1 WHERE id = $2', [
        JSON.stringify(entry.details),
        soFar.summary.id,
      ])
    else await noteAct(connection, now, entry)
  }
}

const listEntries = `SELECT id, at, by, act, subject, details FROM audit
  WHERE ($1::bigint IS NULL OR id < $1) AND ($2::text IS NULL OR subject = $2) AND ($3::text IS NULL OR by = $3)
    AND ($4::text IS NULL OR act = $4) AND ($5::bigint IS NULL OR at >= $5) AND ($6::bigint IS NULL OR at < $6)
  ORDER BY id DESC LIMIT $7`

// Sorted, so that two instances cannot deadlock.
const addUsage = `INSERT INTO usage AS u (hour, access_key, resource, outcome, requests, records)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])
    AS n (hour, access_key, resource, outcome)
  ORDER BY hour, access_key, resource, outcome
  ON CONFLICT (hour, access_key, resource, outcome) DO UPDATE SET requests = u.requests + excluded.requests,
    records = u.records + excluded.records`
const usageColumns = ['hour', 'accessKey', 'resource', 'outcome', 'requests', 'records'] as const

const addLastUse = `INSERT INTO permission_use AS u (access_key, permission, hour, address)
  SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS n (access_key, permission)
  ORDER BY access_key, permission
  ON CONFLICT (access_key, permission) DO UPDATE SET hour = excluded.hour, address = excluded.address
    WHERE excluded.hour >= u.hour`

export async function noteUse(connection: PostgresConnection, lastUse: readonly LastUse[]): Promise<void> {
  if (lastUse.length === 0) return
  await connection.rows(addLastUse, [
    lastUse.map(({ accessKey }) => accessKey),
    lastUse.map(({ permission }) => permission),
    lastUse.map(({ at }) => at),
    lastUse.map(({ address }) => address),
  ])
}

export function createHistory(pool: Pool): History {
  const rows = (text: string, values: readonly unknown[]) => pool.use((connection) => connection.rows(text, values))
  return {
    async listAudit({ limit, before, subject, by, act, from, to }) {
      const conditions = [before, subject, by, act, from, to].map((each) => each ?? null)
      const entries = await rows(listEntries, [...conditions, limit])
      return entries.map(([id, at, who, act, about, details]) => ({
        id: Number(id),
        at: Number(at),
        by: String(who),
        act: act as Act,
        subject: String(about),
        details: JSON.parse(String(details)) as AuditEntry['details'],
      }))
    },
    async listActors() {
      const found = await rows('SELECT by FROM audit GROUP BY by ORDER BY by COLLATE "C"', [])
      return found.map(([by]) => String(by))
    },
    async addUsage(usage, lastUse = []) {
      await inTransaction(pool, async (connection) => {
        await connection.rows(
          addUsage,
          usageColumns.map((name) => usage.map((each) => each[name])),
        )
        await noteUse(connection, lastUse)
      })
    },
    async sumUsage(by, range) {
      const { text, values } = usageStatement(by, range, (place) => `$${place}`)
      return (await rows(text, values)).map((row) => readUsage(by, row))
    },
    async listLastUse(of, accessKey) {
      const found = await rows(
        `SELECT access_key, permission, hour, address FROM permission_use
         WHERE (permission = '') = $1 AND ($2::text IS NULL OR access_key = $2) ORDER BY access_key, permission`,
        [of === 'keys', accessKey],
      )
      return found.map(([accessKey, permission, at, address]) => ({
        accessKey: String(accessKey),
        permission: permission as Permission | '',
        at: Number(at),
        address: address as string | null,
      }))
    },
  }
}
