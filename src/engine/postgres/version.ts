// The version of what a snapshot shows, for answers that are remembered. A snapshot is the set of transactions whose changes it shows: if a
// new one is equal, everything reads the same. That holds for ordinary tables of a primary server alone.
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { areTables } from './relation-kinds.ts'
import type { Server } from './journal.ts'

// With the history it belongs to: after a crash or a failover, transactions that were lost may leave their numbers to others.
// On a replica a snapshot does not name all that it hides.
const snapshotQuery = `SELECT CASE WHEN NOT pg_is_in_recovery() THEN concat_ws(' ', pg_current_snapshot(),
  left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), pg_postmaster_start_time()) END`

export async function readVersion(connection: PostgresConnection): Promise<string | undefined> {
  const [row] = await connection.rows(snapshotQuery)
  return typeof row?.[0] === 'string' ? row[0] : undefined
}

export function createVersions() {
  let checked: { readonly version: string; readonly areTables: boolean } | undefined
  return {
    async read(connection: PostgresConnection, { isGenuine }: Server): Promise<string | undefined> {
      const version = isGenuine ? await readVersion(connection) : undefined
      if (version === undefined) return undefined
      if (checked?.version !== version) checked = { version, areTables: await areTables(connection) }
      return checked.areTables ? version : undefined
    },
  }
}
