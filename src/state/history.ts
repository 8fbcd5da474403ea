// The audit and the usage of each key.
import type { Permission } from '../catalogue/access.ts'
import { hasOwnEntry, mayCountAddress, moreBlocked, readBlocksOfHour, theService, type NewAuditEntry } from './audit.ts'
import type { Operations } from './methods.ts'
import { hourMs, hourOf } from './rows.ts'
import type { Act, AuditEntry, History, LastUse } from './state.ts'
import { rows, where, type Moment, type StateDialect, type Steps } from './steps.ts'
import { readUsage, usageStatement } from './usage.ts'

const blocksOfHour = `SELECT act, count(*), max(id), max(details) FROM audit
  WHERE at >= $1 AND at < $2 AND act IN ('caller blocked', 'more callers blocked') GROUP BY act`
const addAddress = 'INSERT INTO blocked_addresses (hour, address) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1'

export type HistoryOperations = ReturnType<typeof createHistory>

export function createHistory({ time, elementsOf, byBytes, lock }: StateDialect) {
  // Within the transaction of the act.
  const note = (now: Moment, { act, subject, details }: NewAuditEntry, by = theService) =>
    rows(
      `INSERT INTO audit (at, by, act, subject, details) VALUES (${time('$1')}, $2, $3, $4, $5)`,
      now,
      by,
      act,
      subject,
      JSON.stringify(details),
    )

  // Sorted, so that two instances cannot deadlock. (SQLite needs the WHERE to tell ON CONFLICT from a join.)
  const addLastUse = `INSERT INTO permission_use AS u (access_key, permission, hour, address)
    SELECT value ->> 0, value ->> 1, CAST(value ->> 2 AS bigint), value ->> 3 FROM ${elementsOf('$1')} WHERE true
    ORDER BY 1, 2
    ON CONFLICT (access_key, permission) DO UPDATE SET hour = excluded.hour, address = excluded.address
      WHERE excluded.hour >= u.hour`
  const addCounts = `INSERT INTO usage AS u (hour, access_key, resource, outcome, requests, records)
    SELECT CAST(value ->> 0 AS bigint), value ->> 1, value ->> 2, value ->> 3, CAST(value ->> 4 AS bigint),
      CAST(value ->> 5 AS bigint)
    FROM ${elementsOf('$1')} WHERE true ORDER BY 1, 2, 3, 4
    ON CONFLICT (hour, access_key, resource, outcome) DO UPDATE SET requests = u.requests + excluded.requests,
      records = u.records + excluded.records`

  function* noteUse(lastUse: readonly LastUse[]): Steps<void> {
    const uses = lastUse.map(({ accessKey, permission, at, address }) => [accessKey, permission, at, address])
    if (uses.length > 0) yield* rows(addLastUse, JSON.stringify(uses))
  }

  // Within the transaction of the failure.
  function* noteBlocks(now: number, blocks: readonly NewAuditEntry[]): Steps<void> {
    // Instances write blocks one after the other, so that no two count the same entries.
    if (blocks.length > 0 && lock) yield* rows(lock('blocks'))
    for (const block of blocks) {
      const hour = hourOf(now)
      const soFar = readBlocksOfHour(yield* rows(blocksOfHour, hour, hour + hourMs))
      if (hasOwnEntry(soFar)) {
        yield* note(now, block)
        continue
      }
      const isNewAddress = mayCountAddress(soFar) && (yield* rows(addAddress, hour, block.subject)).length > 0
      const entry = moreBlocked(soFar, isNewAddress)
      if (soFar.summary)
        yield* rows('UPDATE audit SET details = $1 WHERE id = $2', JSON.stringify(entry.details), soFar.summary.id)
      else yield* note(now, entry)
    }
  }

  const operations: Operations<keyof History> = {
    *listAudit(_now, { limit, before, subject, by, act, from, to }) {
      const { text, values } = where([
        ['id <', before],
        ['subject =', subject],
        ['by =', by],
        ['act =', act],
        ['at >=', from],
        ['at <', to],
      ])
      const entries = yield* rows(
        `SELECT id, at, by, act, subject, details FROM audit ${text} ORDER BY id DESC LIMIT $${values.length + 1}`,
        ...values,
        limit,
      )
      return entries.map(([id, at, by, act, subject, details]) => ({
        id: Number(id),
        at: Number(at),
        by: String(by),
        act: act as Act,
        subject: String(subject),
        details: JSON.parse(String(details)) as AuditEntry['details'],
      }))
    },
    *listActors() {
      const actors = yield* rows(`SELECT by FROM audit GROUP BY by ORDER BY by ${byBytes}`)
      return actors.map(([by]) => String(by))
    },
    *addUsage(_now, usage, lastUse = []) {
      const counts = usage.map(({ hour, accessKey, resource, outcome, requests, records }) => [
        hour,
        accessKey,
        resource,
        outcome,
        requests,
        records,
      ])
      yield* rows(addCounts, JSON.stringify(counts))
      yield* noteUse(lastUse)
    },
    *sumUsage(_now, by, range) {
      const { text, values } = usageStatement(by, range)
      return (yield* rows(text, ...values)).map((row) => readUsage(by, row))
    },
    *listLastUse(_now, of, accessKey) {
      const { text, values } = where([
        ["(permission = '') =", of === 'keys'],
        ['access_key =', accessKey],
      ])
      const uses = yield* rows(
        `SELECT access_key, permission, hour, address FROM permission_use ${text} ORDER BY access_key, permission`,
        ...values,
      )
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
