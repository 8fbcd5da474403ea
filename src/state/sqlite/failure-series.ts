// Series of failed token requests and the blocks they lead to: one for each key tried from an address, and one for the
// address as a whole, which has no key.
import { createHash } from 'node:crypto'
import type { Sqlite } from '../../sqlite.ts'
import { limits } from '../limits.ts'
import type { Block } from '../state.ts'

// Keys are remembered as sent, by their hash alone: a caller may have sent a secret in the wrong place.
export const hashKey = (accessKey: string | null) =>
  createHash('sha256')
    .update(accessKey ?? '')
    .digest()

export function createFailureSeries(database: Sqlite) {
  const wholeAddress = new Uint8Array(0)
  const blockOf = database.prepare(
    'SELECT max(blocked_until) AS until FROM failures WHERE address = ? AND key_hash IN (?, ?) AND blocked_until > ?',
  )
  const count = database.prepare(
    `INSERT INTO failures (address, key_hash, started_at, count) VALUES (?1, ?2, ?3, 1)
     ON CONFLICT (address, key_hash) DO UPDATE SET
       count = CASE WHEN ?3 - started_at BETWEEN 0 AND ?4 - 1 THEN count + 1 ELSE 1 END,
       started_at = CASE WHEN ?3 - started_at BETWEEN 0 AND ?4 - 1 THEN started_at ELSE ?3 END
     RETURNING count`,
  )
  const block = database.prepare('UPDATE failures SET blocked_until = ? WHERE address = ? AND key_hash = ?')
  const shorten = database.prepare('UPDATE failures SET blocked_until = ? WHERE address = ? AND blocked_until > ?')
  const failedOnce = (now: number, address: string, keyHash: Uint8Array, most: number) => {
    const [row = {}] = count.all(address, keyHash, now, limits.seriesMs)
    const failures = Number(row['count'])
    if (failures >= most) block.run(now + limits.blockMs, address, keyHash)
  }
  return {
    blockedUntil(now: number, address: string, keyHash: Uint8Array): number | null {
      const until = blockOf.get(address, keyHash, wholeAddress, now)?.['until']
      if (typeof until !== 'number') return null
      const latest = now + limits.blockMs
      if (until <= latest) return until
      // The clock was set back: the block lasts no longer than if it were set now.
      shorten.run(latest, address, latest)
      return latest
    },
    failed(now: number, address: string, keyHash: Uint8Array): void {
      failedOnce(now, address, keyHash, limits.failuresOfKey)
      failedOnce(now, address, wholeAddress, limits.failuresOfAddress)
    },
    forgive(address: string, keyHash: Uint8Array): void {
      database.prepare('DELETE FROM failures WHERE address = ? AND key_hash = ?').run(address, keyHash)
    },
    listBlocks(now: number): Block[] {
      const keys = database.prepare('SELECT access_key FROM keys').all()
      const known = new Map(keys.map(({ access_key: key }) => [hashKey(String(key)).toString('hex'), String(key)]))
      return database
        .prepare('SELECT * FROM failures WHERE blocked_until > ? ORDER BY address, blocked_until')
        .all(now)
        .map((row) => ({
          address: String(row['address']),
          scope: (row['key_hash'] as Uint8Array).length === 0 ? ('address' as const) : ('key' as const),
          accessKey: known.get(Buffer.from(row['key_hash'] as Uint8Array).toString('hex')) ?? null,
          failures: Number(row['count']),
          until: Number(row['blocked_until']),
        }))
    },
    clear: (address: string): number =>
      Number(database.prepare('DELETE FROM failures WHERE address = ?').run(address).changes),
  }
}
