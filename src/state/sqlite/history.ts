// What the SQLite store keeps of the past: what was done by whom, and how much each key was used.
import type { Sqlite } from '../../sqlite.ts'
import { theService, type NewEntry } from '../audit.ts'
import { limits } from '../limits.ts'
import type { Act, AuditEntry, AuditQuery, Usage } from '../state.ts'

export function createHistory(database: Sqlite) {
  const addEntry = database.prepare('INSERT INTO audit (at, by, act, subject, details) VALUES (?, ?, ?, ?, ?)')
  const addUse = database.prepare(
    `INSERT INTO usage (hour, access_key, requests, records, refusals) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (hour, access_key) DO UPDATE SET requests = requests + excluded.requests,
       records = records + excluded.records, refusals = refusals + excluded.refusals`,
  )
  return {
    // Within the transaction of the act.
    note(now: number, entry: NewEntry, by = theService): void {
      addEntry.run(now, by, entry.act, entry.subject, JSON.stringify(entry.details))
    },
    listAudit: ({ limit, before, subject, by }: AuditQuery): AuditEntry[] =>
      database
        .prepare(
          `SELECT * FROM audit WHERE (?1 IS NULL OR id < ?1) AND (?2 IS NULL OR subject = ?2) AND (?3 IS NULL OR by = ?3)
           ORDER BY id DESC LIMIT ?4`,
        )
        .all(before ?? null, subject ?? null, by ?? null, limit)
        .map((row) => ({
          id: Number(row['id']),
          at: Number(row['at']),
          by: String(row['by']),
          act: row['act'] as Act,
          subject: String(row['subject']),
          details: JSON.parse(String(row['details'])) as AuditEntry['details'],
        })),
    // Within one transaction.
    addUsage(usage: readonly Usage[]): void {
      for (const { hour, accessKey, requests, records, refusals } of usage)
        addUse.run(hour, accessKey, requests, records, refusals)
    },
    listUsage: (from: number, to: number): Usage[] =>
      database
        .prepare('SELECT * FROM usage WHERE hour >= ? AND hour < ? ORDER BY hour, access_key')
        .all(from, to)
        .map((row) => ({
          hour: Number(row['hour']),
          accessKey: String(row['access_key']),
          requests: Number(row['requests']),
          records: Number(row['records']),
          refusals: Number(row['refusals']),
        })),
    sweep(now: number): void {
      database.prepare('DELETE FROM audit WHERE at <= ?').run(now - limits.historyMs)
      database.prepare('DELETE FROM usage WHERE hour <= ?').run(now - limits.historyMs)
    },
  }
}
