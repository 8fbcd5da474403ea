// Rate windows, failures and blocks of the addresses that send credentials, in the SQLite store.
import type { Sqlite } from '../../platform/sqlite.ts'
import type { ClearedFailures } from '../audit.ts'
import { anyKey, hashKey, type Series } from '../failure-series.ts'
import { limits } from '../limits.ts'
import type { Block, CredentialsPurpose } from '../state.ts'
import { addressName, signInNames } from '../sign-in-policy.ts'
import type { TokenEffects, TokenFacts } from '../token-policy.ts'

type AddressFacts = Pick<TokenFacts, 'window' | 'addressSeries' | 'keySeries'>

export function createTokenRequests(database: Sqlite) {
  const windowOf = database.prepare('SELECT started_at, count FROM windows WHERE name = ?')
  const setWindow = database.prepare('INSERT OR REPLACE INTO windows (name, started_at, count) VALUES (?, ?, ?)')
  const seriesOf = database.prepare(
    'SELECT started_at, count, blocked_until FROM failures WHERE address = ? AND key_hash = ?',
  )
  const setSeries = database.prepare(
    'INSERT OR REPLACE INTO failures (address, key_hash, started_at, count, blocked_until) VALUES (?, ?, ?, ?, ?)',
  )
  const deleteSeries = database.prepare('DELETE FROM failures WHERE address = ? AND key_hash = ?')

  const readSeries = (address: string, keyHash: Uint8Array): Series | null => {
    const row = seriesOf.get(address, keyHash)
    if (!row) return null
    const blockedUntil = row['blocked_until'] === null ? null : Number(row['blocked_until'])
    return { startedAt: Number(row['started_at']), count: Number(row['count']), blockedUntil }
  }
  const writeSeries = (address: string, keyHash: Uint8Array, series: Series | null | undefined) => {
    if (series === null) deleteSeries.run(address, keyHash)
    else if (series) setSeries.run(address, keyHash, series.startedAt, series.count, series.blockedUntil)
  }
  const readWindow = (address: string, purpose: CredentialsPurpose = 'token') => {
    const row = windowOf.get(`${purpose} ${address}`)
    return row ? { startedAt: Number(row['started_at']), count: Number(row['count']) } : null
  }

  return {
    readWindow,
    readSeries,
    writeSeries,
    read: (address: string, accessKey: string | null, purpose?: CredentialsPurpose): AddressFacts => ({
      window: readWindow(address, purpose),
      addressSeries: readSeries(address, anyKey),
      keySeries: readSeries(address, hashKey(accessKey)),
    }),
    write(
      address: string,
      accessKey: string | null,
      { window, addressSeries, keySeries }: TokenEffects,
      purpose: CredentialsPurpose = 'token',
    ): void {
      if (window) setWindow.run(`${purpose} ${address}`, window.startedAt, window.count)
      writeSeries(address, anyKey, addressSeries)
      writeSeries(address, hashKey(accessKey), keySeries)
    },
    listBlocks(now: number): Block[] {
      const blocks = database
        .prepare(
          'SELECT * FROM failures WHERE blocked_until > ? AND address NOT LIKE ? ORDER BY address, blocked_until',
        )
        .all(now, signInNames)
      const isAnyOfKey = blocks.some((row) => (row['key_hash'] as Uint8Array).length > 0)
      const keys = isAnyOfKey ? database.prepare('SELECT access_key FROM keys').all() : []
      const known = new Map(keys.map(({ access_key: key }) => [hexOf(hashKey(String(key))), String(key)]))
      return blocks.map((row) => ({
        address: String(row['address']),
        scope: (row['key_hash'] as Uint8Array).length === 0 ? ('address' as const) : ('key' as const),
        accessKey: known.get(hexOf(row['key_hash'] as Uint8Array)) ?? null,
        failures: Number(row['count']),
        until: Number(row['blocked_until']),
      }))
    },
    // A flood from many addresses must not fill the disk. Series without a block go first, then the oldest; those of the console
    // stay.
    deleteExcess(now: number): void {
      database
        .prepare(
          `DELETE FROM failures WHERE (address, key_hash) IN (
             SELECT address, key_hash FROM failures WHERE address NOT LIKE ?
             ORDER BY coalesce(blocked_until, 0) > ? DESC, started_at DESC LIMIT -1 OFFSET ?)`,
        )
        .run(signInNames, now, limits.mostSeries)
    },
    clear(now: number, address: string): ClearedFailures {
      const deleted = database
        .prepare('DELETE FROM failures WHERE address IN (?, ?) RETURNING blocked_until')
        .all(address, addressName(address))
      const blocks = deleted.filter(({ blocked_until: until }) => Number(until) > now).length
      return { blocks, cleared: deleted.length }
    },
  }
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
