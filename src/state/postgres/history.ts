// What the state on PostgreSQL keeps of the past: what was done by whom, and how much each key was used.
import type { PostgresConnection } from '../../postgres/connection.ts'
import type { Pool } from '../../postgres/pool.ts'
import { theService, type NewEntry } from '../audit.ts'
import type { Act, AuditEntry, AuditQuery, Usage } from '../state.ts'
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

const list = `SELECT id, at, by, act, subject, details FROM audit
  WHERE ($1::bigint IS NULL OR id < $1) AND ($2::text IS NULL OR subject = $2) AND ($3::text IS NULL OR by = $3)
  ORDER BY id DESC LIMIT $4`

// Rows in one order, so that two instances never wait for each other in a circle.
const addUsage = `INSERT INTO usage AS u (hour, access_key, requests, records, refusals)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS n (hour, access_key)
  ORDER BY hour, access_key
  ON CONFLICT (hour, access_key) DO UPDATE SET requests = u.requests + excluded.requests,
    records = u.records + excluded.records, refusals = u.refusals + excluded.refusals`

export function createHistory(pool: Pool) {
  const rows = (text: string, values: readonly unknown[]) => pool.use((connection) => connection.rows(text, values))
  return {
    async listAudit({ limit, before, subject, by }: AuditQuery): Promise<AuditEntry[]> {
      const found = await rows(list, [before ?? null, subject ?? null, by ?? null, limit])
      return found.map(([id, at, who, act, about, details]) => ({
        id: Number(id),
        at: Number(at),
        by: String(who),
        act: act as Act,
        subject: String(about),
        details: JSON.parse(String(details)) as AuditEntry['details'],
      }))
    },
    async addUsage(usage: readonly Usage[]): Promise<void> {
      const column = (read: (each: Usage) => unknown) => usage.map(read)
      await rows(addUsage, [
        column(({ hour }) => hour),
        column(({ accessKey }) => accessKey),
        column(({ requests }) => requests),
        column(({ records }) => records),
        column(({ refusals }) => refusals),
      ])
    },
    async listUsage(from: number, to: number): Promise<Usage[]> {
      const found = await rows(
        `SELECT hour, access_key, requests, records, refusals FROM usage
         WHERE hour >= $1 AND hour < $2 ORDER BY hour, access_key`,
        [from, to],
      )
      return found.map(([hour, accessKey, requests, records, refusals]) => ({
        hour: Number(hour),
        accessKey: String(accessKey),
        requests: Number(requests),
        records: Number(records),
        refusals: Number(refusals),
      }))
    },
  }
}
