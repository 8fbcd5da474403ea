// The one statement of every request: token, key, window and subscription together.
import { callerColumns, readCaller } from '../rows.ts'
import type { Admission } from '../state.ts'
import { raw, rows, type Moment, type Row, type Steps } from '../steps.ts'
import { describeWindow } from '../window.ts'
import { limits } from '../limits.ts'
import { postgresDialect } from './run.ts'

// A request that began later may be counted first, so a window that starts a moment in the future is still the same window.
const isSameWindow = raw(`excluded.started_at - w.started_at BETWEEN -5000 AND ${limits.windowMs - 1}`)

// Does not wait for the disk: losing the last counts in a power cut does no harm.
export function* admit(now: Moment, tokenHash: Uint8Array, fullAddress: string | null): Steps<Admission> {
  const [row = []] = yield* rows`
    WITH moment AS MATERIALIZED (SELECT ${postgresDialect.time(now)} AS now),
    caller AS MATERIALIZED (
      SELECT k.rate, ${callerColumns}
      FROM moment, tokens t JOIN keys k ON k.access_key = t.access_key
      WHERE t.hash = ${tokenHash} AND least(t.expires_at, k.expires_at) > moment.now AND k.revoked_at IS NULL
        AND NOT k.is_disabled AND (k.addresses IS NULL OR EXISTS (
          SELECT FROM json_array_elements_text(k.addresses::json) AS allowed WHERE ${fullAddress}::inet <<= allowed::inet))
    ),
    counted AS (
      INSERT INTO windows AS w (name, started_at, count)
      SELECT 'key ' || access_key, now, 1 FROM caller, moment
      ON CONFLICT (name) DO UPDATE SET
        count = CASE WHEN ${isSameWindow} THEN w.count + 1 ELSE 1 END,
        started_at = CASE WHEN ${isSameWindow} THEN w.started_at ELSE excluded.started_at END
      RETURNING started_at, count
    )
    SELECT company.is_enabled, moment.now, counted.started_at, counted.count, caller.*,
      set_config('synchronous_commit', 'off', true)
    FROM company CROSS JOIN moment LEFT JOIN caller ON true LEFT JOIN counted ON true`
  return readAdmission(row)
}

function readAdmission([isEnabled, now, startedAt, count, rate, ...caller]: Row): Admission {
  if (typeof startedAt !== 'number') return { isEnabled: isEnabled === true, admitted: null }
  const window = describeWindow(Number(rate), { startedAt, count: Number(count) }, Math.max(Number(now), startedAt))
  return { isEnabled: isEnabled === true, admitted: { caller: readCaller(caller), window } }
}
