// What the state on PostgreSQL keeps of the past: what was done by whom, and how much each key was used.
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import type { Pool } from '../../platform/postgres/pool.ts'
import { hasOwnEntry, mayCountAddress, moreBlocked, readBlocksOfHour, theService, type NewEntry } from '../audit.ts'
import { hourMs, hourOf } from '../rows.ts'
import type { Permission } from '../../catalogue/access.ts'
import type { Act, AuditEntry, AuditQuery, LastUse, Usage, Use, UseOfHour, UseOfKey } from '../state.ts'
import { inTransaction } from '../../platform/postgres/transaction.ts'
import { nowSql } from './time.ts'

const add = `INSERT INTO audit (at, by, act, subject, details) VALUES (${nowSql}, $2, $3, $4, $5)`

// Within the transaction of the act.
export async function noteAct(
  connection: PostgresConnection,
  now: number | null,
  { act, subject, details }: NewEntry,
  by = theService,
): Promise<void> {
  await connection.rows(add, [now, by, act, subject, JSON.stringify(details)])
}

// Whoever writes a block down waits for the others: no two count the same entries.
const holdBlocks = `SELECT pg_advisory_xact_lock(hashtext('vitrine'), hashtext('blocks of ' || current_schema()))`
const blocksOfHour = `SELECT act, count(*), max(id), max(details) FROM audit
  WHERE at >= $1 AND at < $2 AND act IN ('caller blocked', 'more callers blocked') GROUP BY act`
const addAddress = 'INSERT INTO blocked_addresses (hour, address) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1'

// Within the transaction of the failure that led to them.
export async function noteBlocks(
  connection: PostgresConnection,
  now: number,
  blocks: readonly NewEntry[],
): Promise<void> {
  if (blocks.length > 0) await connection.rows(holdBlocks)
  for (const block of blocks) {
    const hour = hourOf(now)
    const sofar = readBlocksOfHour(await connection.rows(blocksOfHour, [hour, hour + hourMs]))
    if (hasOwnEntry(sofar)) {
      await noteAct(connection, now, block)
      continue
    }
    const isNewAddress = mayCountAddress(sofar) && (await connection.rows(addAddress, [hour, block.subject])).length > 0
    const entry = moreBlocked(sofar, isNewAddress)
    if (sofar.summary)
      await connection.rows('UPDATE audit SET details = $1 WHERE id = $2', [
        JSON.stringify(entry.details),
        sofar.summary.id,
      ])
    else await noteAct(connection, now, entry)
  }
}

const list = `SELECT id, at, by, act, subject, details FROM audit
  WHERE ($1::bigint IS NULL OR id < $1) AND ($2::text IS NULL OR subject = $2) AND ($3::text IS NULL OR by = $3)
    AND ($4::text IS NULL OR act = $4) AND ($5::bigint IS NULL OR at >= $5) AND ($6::bigint IS NULL OR at < $6)
  ORDER BY id DESC LIMIT $7`

// Rows in one order, so that two instances never wait for each other in a circle.
const addUsage = `INSERT INTO usage AS u (hour, access_key, requests, records, refusals)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS n (hour, access_key)
  ORDER BY hour, access_key
  ON CONFLICT (hour, access_key) DO UPDATE SET requests = u.requests + excluded.requests,
    records = u.records + excluded.records, refusals = u.refusals + excluded.refusals`

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

const sums = 'sum(requests)::bigint, sum(records)::bigint, sum(refusals)::bigint'

const readUse = ([requests, records, refusals]: readonly unknown[]): Use => ({
  requests: Number(requests),
  records: Number(records),
  refusals: Number(refusals),
})

export function createHistory(pool: Pool) {
  const rows = (text: string, values: readonly unknown[]) => pool.use((connection) => connection.rows(text, values))
  return {
    async listAudit({ limit, before, subject, by, act, from, to }: AuditQuery): Promise<AuditEntry[]> {
      const asked = [before, subject, by, act, from, to].map((each) => each ?? null)
      const found = await rows(list, [...asked, limit])
      return found.map(([id, at, who, act, about, details]) => ({
        id: Number(id),
        at: Number(at),
        by: String(who),
        act: act as Act,
        subject: String(about),
        details: JSON.parse(String(details)) as AuditEntry['details'],
      }))
    },
    async listActors(): Promise<string[]> {
      const found = await rows('SELECT by FROM audit GROUP BY by ORDER BY by COLLATE "C"', [])
      return found.map(([by]) => String(by))
    },
    async addUsage(usage: readonly Usage[], lastUse: readonly LastUse[] = []): Promise<void> {
      const column = (read: (each: Usage) => unknown) => usage.map(read)
      await inTransaction(pool, async (connection) => {
        await connection.rows(addUsage, [
          column(({ hour }) => hour),
          column(({ accessKey }) => accessKey),
          column(({ requests }) => requests),
          column(({ records }) => records),
          column(({ refusals }) => refusals),
        ])
        await noteUse(connection, lastUse)
      })
    },
    async listUsage(from: number, to: number): Promise<Usage[]> {
      const found = await rows(
        `SELECT hour, access_key, requests, records, refusals FROM usage
         WHERE hour >= $1 AND hour < $2 ORDER BY hour, access_key`,
        [from, to],
      )
      return found.map(([hour, accessKey, ...use]) => ({
        hour: Number(hour),
        accessKey: String(accessKey),
        ...readUse(use),
      }))
    },
    async usageByHour(from: number, to: number, accessKey: string | null): Promise<UseOfHour[]> {
      const found = await rows(
        `SELECT hour, ${sums} FROM usage WHERE hour >= $1 AND hour < $2 AND ($3::text IS NULL OR access_key = $3)
         GROUP BY hour ORDER BY hour`,
        [from, to, accessKey],
      )
      return found.map(([hour, ...use]) => ({ hour: Number(hour), ...readUse(use) }))
    },
    async usageByKey(from: number, to: number): Promise<UseOfKey[]> {
      const found = await rows(
        `SELECT access_key, ${sums} FROM usage WHERE hour >= $1 AND hour < $2 GROUP BY access_key ORDER BY access_key`,
        [from, to],
      )
      return found.map(([accessKey, ...use]) => ({ accessKey: String(accessKey), ...readUse(use) }))
    },
    async listLastUse(of: 'keys' | 'permissions', accessKey: string | null): Promise<LastUse[]> {
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
