// The audit and the usage of each key.
import type { Permission } from '../catalogue/access.ts'
import { hasOwnEntry, mayCountAddress, moreBlocked, readBlocksOfHour, theService, type NewAuditEntry } from './audit.ts'
import type { Operations } from './methods.ts'
import { hourMs, hourOf } from './rows.ts'
import type { Act, AuditEntry, History, LastUse } from './state.ts'
import { raw, rows, sql, where, type Moment, type StateDialect, type Steps } from './steps.ts'
import { readUsage, usageStatement } from './usage-sums.ts'

// Returns whether the address is new in this hour.
function* addAddress(hour: number, address: string): Steps<boolean> {
  const added = yield* rows`
    INSERT INTO blocked_addresses (hour, address) VALUES (${hour}, ${address}) ON CONFLICT DO NOTHING RETURNING 1`
  return added.length > 0
}

export type HistoryOperations = ReturnType<typeof createHistory>

export function createHistory({ time, elementsOf, byBytes, lock }: StateDialect) {
  // Within the transaction of the act.
  const note = (now: Moment, { act, subject, details }: NewAuditEntry, by = theService) => rows`
    INSERT INTO audit (at, by, act, subject, details)
    VALUES (${time(now)}, ${by}, ${act}, ${subject}, ${JSON.stringify(details)})`

  // Sorted, here and in `addUsage`, so that two instances cannot deadlock. (SQLite needs the WHERE to tell ON CONFLICT from a join.)
  function* noteUse(lastUse: readonly LastUse[]): Steps<void> {
    if (lastUse.length === 0) return
    yield* rows`
      INSERT INTO permission_use AS u (access_key, permission, hour, address)
      SELECT value ->> 'accessKey', value ->> 'permission', CAST(value ->> 'at' AS bigint), value ->> 'address'
      FROM ${elementsOf(lastUse)} WHERE true
      ORDER BY 1, 2
      ON CONFLICT (access_key, permission) DO UPDATE SET hour = excluded.hour, address = excluded.address
        WHERE excluded.hour >= u.hour`
  }

  const listOf = (texts: readonly string[]) =>
    sql`(SELECT value ->> 'text' FROM ${elementsOf(texts.map((text) => ({ text })))})`

  // Of the whole audit, each once.
  function* textsOf(column: 'by' | 'subject'): Steps<string[]> {
    const name = raw(column)
    const found = yield* rows`SELECT ${name} FROM audit GROUP BY ${name} ORDER BY ${name} ${byBytes}`
    return found.map(([text]) => String(text))
  }

  // Within the transaction of the failure.
  function* noteBlocks(now: number, blocks: readonly NewAuditEntry[]): Steps<void> {
    // Instances write blocks one after the other, so that no two count the same entries.
    if (blocks.length > 0 && lock) yield lock('blocks')
    for (const block of blocks) {
      const hour = hourOf(now)
      const entries = yield* rows`
        SELECT act, count(*), max(id), max(details) FROM audit
        WHERE at >= ${hour} AND at < ${hour + hourMs} AND act IN ('caller blocked', 'more callers blocked') GROUP BY act`
      const soFar = readBlocksOfHour(entries)
      if (hasOwnEntry(soFar)) {
        yield* note(now, block)
        continue
      }
      const isNewAddress = mayCountAddress(soFar) && (yield* addAddress(hour, block.subject))
      const entry = moreBlocked(soFar, isNewAddress)
      if (soFar.summary)
        yield* rows`UPDATE audit SET details = ${JSON.stringify(entry.details)} WHERE id = ${soFar.summary.id}`
      else yield* note(now, entry)
    }
  }

  const operations: Operations<keyof History> = {
    *listAudit(_now, { limit, before, subjects, by, act, from, to }) {
      const conditions = where([
        ['id <', before],
        ['subject IN', subjects && listOf(subjects)],
        ['by =', by],
        ['act =', act],
        ['at >=', from],
        ['at <', to],
      ])
      const entries = yield* rows`
        SELECT id, at, by, act, subject, details FROM audit ${conditions} ORDER BY id DESC LIMIT ${limit}`
      return entries.map(([id, at, by, act, subject, details]) => ({
        id: Number(id),
        at: Number(at),
        by: String(by),
        act: act as Act,
        subject: String(subject),
        details: JSON.parse(String(details)) as AuditEntry['details'],
      }))
    },
    listActors: () => textsOf('by'),
    listSubjects: () => textsOf('subject'),
    *addUsage(_now, usage, lastUse = []) {
      yield* rows`
        INSERT INTO usage AS u (hour, access_key, resource, outcome, requests, records)
        SELECT CAST(value ->> 'hour' AS bigint), value ->> 'accessKey', value ->> 'resource', value ->> 'outcome',
          CAST(value ->> 'requests' AS bigint), CAST(value ->> 'records' AS bigint)
        FROM ${elementsOf(usage)} WHERE true ORDER BY 1, 2, 3, 4
        ON CONFLICT (hour, access_key, resource, outcome) DO UPDATE SET requests = u.requests + excluded.requests,
          records = u.records + excluded.records`
      yield* noteUse(lastUse)
    },
    *sumUsage(_now, by, range) {
      return (yield* rows`${usageStatement(by, range)}`).map((row) => readUsage(by, row))
    },
    *listLastUse(_now, of, accessKey) {
      const ofKey = accessKey === null ? sql`true` : sql`access_key = ${accessKey}`
      const uses = yield* rows`
        SELECT access_key, permission, hour, address FROM permission_use
        WHERE (permission = '') = ${of === 'keys'} AND ${ofKey} ORDER BY access_key, permission`
      return uses.map(([accessKey, permission, at, address]) => ({
        accessKey: String(accessKey),
        permission: permission as Permission | '',
        at: Number(at),
        address: address as string | null,
      }))
    },
  }
  return { note, noteUse, noteBlocks, operations }
}
