// Admits requests: token, key, window and subscription in one statement. One is under way at a time; requests that arrive meanwhile
// share the next one.
import { plainAddress } from '../../platform/addresses.ts'
import { PostgresFailure } from '../../platform/postgres/connection.ts'
import { limits } from '../limits.ts'
import { callerColumns, readCaller } from '../rows.ts'
import type { Admission } from '../state.ts'
import { raw, rows, type Moment, type Row, type Steps } from '../steps.ts'
import { describeWindow } from '../window.ts'
import { postgresDialect } from './run.ts'

interface AskedRequest {
  readonly tokenHash: Uint8Array
  readonly address: string | null
  readonly resolve: (admission: Promise<Admission>) => void
  readonly reject: (cause: unknown) => void
}

type Admit = (tokenHash: Uint8Array, fullAddress: string | null) => Promise<Admission>

export function admitTogether(now: () => Moment, run: (steps: Steps<void>) => Promise<void>): Admit {
  let waiting: AskedRequest[] = []
  let isUnderWay = false
  const answer = async (asked: readonly AskedRequest[]): Promise<void> => {
    try {
      await run(admit(now(), asked))
    } catch (cause) {
      // A damaged key fails the statement of all, which then has counted none.
      if (asked.length > 1 && isValueFailure(cause)) for (const each of asked) await answer([each])
      else for (const { reject } of asked) reject(cause)
    }
  }
  const answerAll = async () => {
    while (waiting.length > 0) {
      const asked = waiting
      waiting = []
      await answer(asked)
    }
    isUnderWay = false
  }
  return (tokenHash, fullAddress) =>
    new Promise((resolve, reject) => {
      // The server would refuse a text that is no address, and with it all that share the statement.
      const address = fullAddress === null ? null : (plainAddress(fullAddress) ?? null)
      waiting.push({ tokenHash, address, resolve, reject })
      // Not at once, so that requests that were read from their sockets together share it.
      if (!isUnderWay) setImmediate(() => void answerAll())
      isUnderWay = true
    })
}

// SQLSTATE class 22: data exception.
const isValueFailure = (cause: unknown) => cause instanceof PostgresFailure && cause.code?.startsWith('22') === true

// A request that began later may be counted first, so a window that starts a moment in the future is still the same window.
const isSameWindow = raw(`excluded.started_at - w.started_at BETWEEN -5000 AND ${limits.windowMs - 1}`)

// Requests with the same token and address are one row. Windows are locked in the order of their names, so that instances do not
// deadlock. Does not wait for the disk: losing the last counts in a power cut does no harm.
function* admit(now: Moment, asked: readonly AskedRequest[]): Steps<void> {
  const nameOf = ({ tokenHash, address }: AskedRequest) => `${Buffer.from(tokenHash).toString('latin1')} ${address}`
  const groups = [...Map.groupBy(asked, nameOf).values()]
  const firsts = groups.flatMap((group) => group.slice(0, 1))
  const found = yield* rows`
    WITH moment AS MATERIALIZED (SELECT ${postgresDialect.time(now)} AS now),
    asked AS MATERIALIZED (
      SELECT * FROM unnest(${firsts.map(({ tokenHash }) => Buffer.from(tokenHash))}::bytea[],
        ${firsts.map(({ address }) => address)}::inet[], ${groups.map(({ length }) => length)}::bigint[])
        WITH ORDINALITY AS a (hash, address, requests, place)
    ),
    caller AS MATERIALIZED (
      SELECT a.place, a.requests, k.rate, ${callerColumns}
      FROM moment, asked a JOIN tokens t ON t.hash = a.hash JOIN keys k ON k.access_key = t.access_key
      WHERE least(t.expires_at, k.expires_at) > moment.now AND k.revoked_at IS NULL
        AND NOT k.is_disabled AND (k.addresses IS NULL OR EXISTS (
          SELECT FROM json_array_elements_text(k.addresses::json) AS allowed WHERE a.address <<= allowed::inet))
    ),
    counted AS (
      INSERT INTO windows AS w (name, started_at, count)
      SELECT 'key ' || access_key, now, sum(requests) FROM caller, moment GROUP BY access_key, now ORDER BY access_key
      ON CONFLICT (name) DO UPDATE SET
        count = excluded.count + CASE WHEN ${isSameWindow} THEN w.count ELSE 0 END,
        started_at = CASE WHEN ${isSameWindow} THEN w.started_at ELSE excluded.started_at END
      RETURNING name, started_at, count
    )
    SELECT company.is_enabled, moment.now, counted.started_at, counted.count, caller.*,
      set_config('synchronous_commit', 'off', true)
    FROM company CROSS JOIN moment LEFT JOIN caller ON true
      LEFT JOIN counted ON counted.name = 'key ' || caller.access_key`
  const isEnabled = found[0]?.[0] === true
  const rowAt = new Map(found.map((row) => [row[4], row]))
  // The last request of a key has the count of all, and each before it one less.
  const countedAfter = new Map<unknown, number>()
  for (const [at, group] of [...groups.entries()].toReversed()) {
    const row = rowAt.get(at + 1)
    for (const { resolve } of group.toReversed()) {
      const after = countedAfter.get(row?.[7]) ?? 0
      countedAfter.set(row?.[7], after + 1)
      resolve(Promise.try(() => ({ isEnabled, admitted: row ? readAdmitted(row, after) : null })))
    }
  }
}

function readAdmitted(
  [, now, startedAt, count, , , rate, ...caller]: Row,
  countedAfter: number,
): Admission['admitted'] {
  const counter = { startedAt: Number(startedAt), count: Number(count) - countedAfter }
  const window = describeWindow(Number(rate), counter, Math.max(Number(now), counter.startedAt))
  return { caller: readCaller(caller), window }
}
