// Opens the POS file read-only.
import { hasLog, isSameFile, noticeCopies, openSqlite, openStamped, stampOf } from '../../platform/sqlite.ts'

export function openPos(path: string, lockTimeoutMs: number) {
  const { opened: sqlite, stamp } = openStamped(path, () => openSqlite(path, { readOnly: true, lockTimeoutMs }))
  try {
    const isWal = hasLog(sqlite)
    sqlite.exec('PRAGMA main.cache_size = -8000')
    const isCopy = noticeCopies()
    return {
      sqlite,
      // Changes with every write, or every change of the schema, by another connection.
      dataVersion: sqlite.prepare('PRAGMA main.data_version'),
      schemaVersion: sqlite.prepare('PRAGMA main.schema_version'),
      // Identifies the file that the path led to.
      file: stamp.file,
      // Whether the path still leads to the file that was opened.
      isCurrent: () => isSameFile(stamp, stampOf(path), isWal),
      // Whether another file was copied over this one, given its version. To be asked when a transaction begins.
      isCopied: (version: number) => !isWal && isCopy(stampOf(path).writtenAt, version),
    }
  } catch (error) {
    sqlite.close()
    throw error
  }
}
