// Notices that the file of the state was exchanged under the running service: another file was moved in its place or copied over it, or it
// or its log is gone. SQLite would mix both files and damage the new one, so the service must end.
import { openSync, renameSync, rmSync, statSync } from 'node:fs'
import { sqliteHeader } from '../../platform/sqlite.ts'
import { applicationId, logAside, stateDatabase } from './schema.ts'

const exchangedCode = 'STATE_EXCHANGED'

export const exchangedError = (problem: string): Error => Object.assign(new Error(problem), { code: exchangedCode })
export const isExchanged = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === exchangedCode

interface Stamp {
  // The identities of the file, its log and the index of the log. A new file may have the inode of a deleted one, but not its birth.
  readonly files: readonly string[]
  // When the file itself was written, which only checkpoints do.
  readonly writtenAt: number
  readonly size: number
}

export function stampState(path: string): Stamp {
  const found = ['', '-wal', '-shm'].map((suffix) => statSync(path + suffix, { throwIfNoEntry: false }))
  const files = found.map((each) => (each ? `${each.dev}:${each.ino} ${each.birthtimeMs}` : 'none'))
  return { files, writtenAt: found[0]?.ctimeMs ?? 0, size: found[0]?.size ?? 0 }
}

// To be called while a connection holds the files. Returns a check, which throws once they were exchanged.
export function watchExchange(path: string): () => void {
  // Stays open until the thread ends: closing a descriptor drops the locks that SQLite has for the whole process.
  const file = openSync(path, 'r')
  let last = stampState(path)
  let changes = sqliteHeader(file)?.changes ?? 0
  const isSame = (): boolean => {
    const now = stampState(path)
    if (now.files.join() !== last.files.join() || now.size < last.size) return false
    if (now.writtenAt === last.writtenAt) return true
    // An older copy has fewer changes (run.ts counts them).
    const header = sqliteHeader(file)
    if (header?.applicationId !== applicationId || header.changes < changes) return false
    last = now
    changes = header.changes
    return true
  }
  return () => {
    if (isSame()) return
    putLogAside(path, last)
    throw exchangedError(
      `${stateDatabase(path)} was exchanged, or its log was removed, while the service had it open. The service ends, to start again with what is there now. To put back a backup: stop the service, put the file in its place, remove ${path}-wal and ${path}-shm, and start it.`,
    )
  }
}

// SQLite would apply the log to whatever database lies beside it. Renamed, not deleted, in case of a mistake.
function putLogAside(path: string, held: Stamp): void {
  try {
    const [, log, index] = stampState(path).files
    if (log === held.files[1]) renameSync(`${path}-wal`, logAside(path))
    if (index === held.files[2]) rmSync(`${path}-shm`)
  } catch {
    // For example, nobody may write in the folder any more.
  }
}
