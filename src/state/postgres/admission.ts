// The one statement of every request: token, key, window and subscription together.
import type { PostgresRow } from '../../platform/postgres/connection.ts'
import { readPriceList, readStores, stillHeld } from '../rows.ts'
import type { Admission } from '../state.ts'
import { describeWindow } from '../window.ts'
import { nowSql } from './shared-sql.ts'

// A request that began later may be counted first, so a window that starts a moment in the future is still the same window.
const isSameWindow = 'excluded.started_at - w.started_at BETWEEN -5000 AND $3 - 1'

// Parameters: time or null, hash of the token, length of a window, full address of the caller. Does not wait for the disk:
// losing the last counts in a power cut does no harm.
export const admitStatement = `
  WITH moment AS MATERIALIZED (SELECT ${nowSql} AS now),
  caller AS MATERIALIZED (
    SELECT k.access_key, k.name, t.permissions AS granted, k.permissions AS held, k.stores, k.price_list, k.rate
    FROM moment, tokens t JOIN keys k ON k.access_key = t.access_key
    WHERE t.hash = $2 AND least(t.expires_at, k.expires_at) > moment.now AND k.revoked_at IS NULL AND NOT k.is_disabled
      AND (k.addresses IS NULL
        OR EXISTS (SELECT FROM json_array_elements_text(k.addresses::json) AS allowed WHERE $4::inet <<= allowed::inet))
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

export function readAdmission(row: PostgresRow): Admission {
  const [isEnabled, now, startedAt, count, accessKey, name, granted, held, stores, priceList, rate] = row
  if (accessKey === null || accessKey === undefined) return { isEnabled: isEnabled === true, admitted: null }
  const caller = {
    accessKey: String(accessKey),
    name: String(name),
    permissions: stillHeld(granted, held),
    stores: readStores(stores),
    priceList: readPriceList(priceList),
  }
  const counter = { startedAt: Number(startedAt), count: Number(count) }
  const window = describeWindow(Number(rate), counter, Math.max(Number(now), counter.startedAt))
  return { isEnabled: isEnabled === true, admitted: { caller, window } }
}
