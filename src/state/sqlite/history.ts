// The audit and the usage of each key, in the SQLite store.
import { inTransaction, type Sqlite } from '../../platform/sqlite.ts'
import {
  hasOwnEntry,
  mayCountAddress,
  moreBlocked,
  readBlocksOfHour,
  theService,
  type NewAuditEntry,
} from '../audit.ts'
import { limits } from '../limits.ts'
import { hourMs, hourOf } from '../rows.ts'
import type { Permission } from '../../catalogue/access.ts'
import type { Timed } from '../methods.ts'
import type { Act, AuditEntry, History, LastUse } from '../state.ts'
import { readUsage, usageStatement } from '../usage.ts'

export function createHistory(database: Sqlite) {
  const addEntry = database.prepare('INSERT INTO audit (at, by, act, subject, details) VALUES (?, ?, ?, ?, ?)')
  const addCounts = database.prepare(
    `INSERT INTO usage (hour, access_key, resource, outcome, requests, records) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (hour, access_key, resource, outcome) DO UPDATE SET requests = requests + excluded.requests,
       records = records + excluded.records`,
  )
  const addLastUse = database.prepare(
    `INSERT INTO permission_use (access_key, permission, hour, address) VALUES (?, ?, ?, ?)
     ON CONFLICT (access_key, permission) DO UPDATE SET hour = excluded.hour, address = excluded.address
       WHERE excluded.hour >= hour`,
  )
  const noteUse = (lastUse: readonly LastUse[]) => {
    for (const { accessKey, permission, at, address } of lastUse) addLastUse.run(accessKey, permission, at, address)
  }
  const blocksOfHour = database.prepare(
    `SELECT act, count(*) AS entries, max(id) AS id, max(details) AS details FROM audit
     WHERE at >= ? AND at < ? AND act IN ('caller blocked', 'more callers blocked') GROUP BY act`,
  )
  const addAddress = database.prepare('INSERT OR IGNORE INTO blocked_addresses (hour, address) VALUES (?, ?)')
  const changeDetails = database.prepare('UPDATE audit SET details = ? WHERE id = ?')
  const note = (now: number, entry: NewAuditEntry, by = theService): void => {
    addEntry.run(now, by, entry.act, entry.subject, JSON.stringify(entry.details))
  }
  const methods: Timed<keyof History> = {
    listAudit: (_now, { limit, before, subject, by, act, from, to }) =>
      database
        .prepare(
          `SELECT * FROM audit WHERE (?1 IS NULL OR id < ?1) AND (?2 IS NULL OR subject = ?2) AND (?3 IS NULL OR by = ?3)
             AND (?4 IS NULL OR act = ?4) AND (?5 IS NULL OR at >= ?5) AND (?6 IS NULL OR at < ?6)
           ORDER BY id DESC LIMIT ?7`,
        )
        .all(before ?? null, subject ?? null, by ?? null, act ?? null, from ?? null, to ?? null, limit)
        .map((row) => ({
          id: Number(row['id']),
          at: Number(row['at']),
          by: String(row['by']),
          act: row['act'] as Act,
          subject: String(row['subject']),
          details: JSON.parse(String(row['details'])) as AuditEntry['details'],
        })),
    listActors: () =>
      database
        .prepare('SELECT DISTINCT by FROM audit ORDER BY by')
        .all()
        .map((row) => String(row['by'])),
    addUsage: (_now, usage, lastUse = []) =>
      inTransaction(database, 'BEGIN IMMEDIATE', () => {
        for (const { hour, accessKey, resource, outcome, requests, records } of usage)
          addCounts.run(hour, accessKey, resource, outcome, requests, records)
        noteUse(lastUse)
      }),
    sumUsage(_now, by, range) {
      const { text, values } = usageStatement(by, range, (place) => `?${place}`)
      const rows = database.prepare(text).all(...values)
      return rows.map((row) => readUsage(by, Object.values(row)))
    },
    listLastUse: (_now, of, accessKey) =>
      database
        .prepare(
          `SELECT * FROM permission_use WHERE (permission = '') = ? AND ${accessKey === null ? '? IS NULL' : 'access_key = ?'}
           ORDER BY access_key, permission`,
        )
        .all(of === 'keys' ? 1 : 0, accessKey)
        .map((row) => ({
          accessKey: String(row['access_key']),
          permission: row['permission'] as Permission | '',
          at: Number(row['hour']),
          address: row['address'] as string | null,
        })),
  }
  return {
    methods,
    // Within the transaction of the act.
    note,
    noteBlocks(now: number, blocks: readonly NewAuditEntry[]): void {
      for (const block of blocks) {
        const hour = hourOf(now)
        const rows = blocksOfHour.all(hour, hour + hourMs)
        const soFar = readBlocksOfHour(rows.map(({ act, entries, id, details }) => [act, entries, id, details]))
        if (hasOwnEntry(soFar)) {
          note(now, block)
          continue
        }
        const isNewAddress = mayCountAddress(soFar) && addAddress.run(hour, block.subject).changes > 0
        const entry = moreBlocked(soFar, isNewAddress)
        if (soFar.summary) changeDetails.run(JSON.stringify(entry.details), soFar.summary.id)
        else note(now, entry)
      }
    },
    noteUse,
    sweep(now: number): void {
      database.prepare('DELETE FROM audit WHERE at <= ?').run(now - limits.historyMs)
      database.prepare('DELETE FROM blocked_addresses WHERE hour <= ?').run(now - hourMs)
      database.prepare('DELETE FROM usage WHERE hour <= ?').run(now - limits.historyMs)
    },
  }
}
