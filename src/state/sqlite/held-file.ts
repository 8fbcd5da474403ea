// Holds the state's database file. The file, its log (-wal) and the log's index (-shm) belong together. If one is replaced,
// removed or copied over, writing on would damage the new file, so every call checks them before and after. On a change,
// everything in this process closes the file without writing the old log into it, then reopens it.
import { closeSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { openSqlite, openStamped, type FileStamp, type Sqlite } from '../../platform/sqlite.ts'
import { requireFile, stateDatabase } from './schema.ts'
import { openStore, type SqliteStore } from './store.ts'

const exchangedCode = 'STATE_EXCHANGED'

const exchanged = (path: string) =>
  Object.assign(
    new Error(
      `${stateDatabase(path)} was replaced, or its log was removed, while the service had it open. The service opens it anew by itself; if that does not help, stop the service, put a backup in its place, remove ${path}-wal and ${path}-shm, and start it.`,
    ),
    { code: exchangedCode },
  )

// SQLITE_IOERR, SQLITE_CORRUPT or SQLITE_NOTADB: the file is damaged, or differs from the pages that SQLite has cached.
export const isDamage = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && [10, 11, 26].includes(Number(error.errcode) & 0xff)

const fileOf = (path: string): string => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.dev}:${found.ino}` : 'none'
}

// A new file may reuse the inode of a deleted one, but not its time of birth.
const bornFileOf = (path: string): string => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.dev}:${found.ino} ${found.birthtimeMs}` : 'none'
}

interface Files {
  readonly database: string
  readonly log: string
  readonly index: string
}

const filesOf = (path: string): Files => ({
  database: bornFileOf(path),
  log: bornFileOf(`${path}-wal`),
  index: bornFileOf(`${path}-shm`),
})

// Changes when the file, its log or the log's index is replaced.
export function stampWithLog(path: string): FileStamp {
  const { dev, ino, ctimeMs } = statSync(path)
  return { file: `${dev}:${ino} ${fileOf(`${path}-wal`)} ${fileOf(`${path}-shm`)}`, writtenAt: ctimeMs }
}

// How far SQLite has copied the log into the file, according to the log's index.
interface CheckpointProgress {
  readonly copied: string
  // A checkpoint has begun and may have failed. Writes to the file are then SQLite's own.
  readonly isUnderWay: boolean
}

interface FileVersion {
  readonly checkpoint: CheckpointProgress
  // Time of the last write and size: changed by a copy over the file, not by `chmod`.
  readonly written: string
}

interface HeldStore {
  readonly store: SqliteStore
  // A read-only connection. While it is open, closing the store does not write the log into the file.
  readonly guard: Sqlite
  readonly files: Files
  readonly stamp: FileStamp
  // File descriptor of the log's index.
  readonly index: number
  last: FileVersion
}

// During a checkpoint by another process, the index changes a moment after the file. Until then, a change looks foreign.
const patienceMs = 200
const pauseMs = 10
const pause = (milliseconds: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)

export function holdFile(path: string, lockTimeoutMs: number, onExchanged: () => void) {
  let held: HeldStore | undefined
  // The files that were released. A log that is left of them belongs to no other database.
  let released: Files | undefined
  let mayOpen = true
  // Closing a descriptor drops the POSIX locks of the whole process, so this waits until all connections are closed.
  const toClose: number[] = []

  const open = (): HeldStore => {
    requireFile(path)
    if (released) removeOldLog(path, released)
    const { opened: store, stamp: opened } = openStamped(path, () =>
      openStore(path, lockTimeoutMs, { empty: 'refused' }),
    )
    const guard = openSqlite(path, { readOnly: true, lockTimeoutMs })
    let index: number | undefined
    try {
      guard.prepare('SELECT is_enabled FROM company').get()
      index = openSync(`${path}-shm`, 'r')
      const [last, stamp, files] = [readFileVersion(path, index), stampWithLog(path), filesOf(path)]
      if (fileOf(path) !== opened.file) throw exchanged(path)
      released = undefined
      return { store, guard, files, stamp, index, last }
    } catch (error) {
      store.close()
      guard.close()
      if (index !== undefined) toClose.push(index)
      throw error
    }
  }

  const release = (isCopiedOver = false) => {
    mayOpen = false
    if (!held) return
    released = isCopiedOver ? { ...held.files, database: 'none' } : held.files
    // The guard last: it keeps the log out of the file.
    held.store.close()
    held.guard.close()
    toClose.push(held.index)
    held = undefined
  }

  // How another process changed the files, if it did.
  const foreignChange = (now: HeldStore): 'replaced' | 'copied over' | undefined => {
    try {
      if (stampWithLog(path).file !== now.stamp.file) return 'replaced'
      for (let waited = 0; waited < patienceMs; waited += pauseMs) {
        const next = readFileVersion(path, now.index)
        if (isOwnWrite(now.last, next)) {
          now.last = next
          return undefined
        }
        pause(pauseMs)
      }
      return 'copied over'
    } catch {
      return 'replaced'
    }
  }

  const settle = () => {
    const change = held && foreignChange(held)
    if (!change) return
    release(change === 'copied over')
    onExchanged()
    throw exchanged(path)
  }

  return {
    // Called after each call too: a write to files that were replaced is lost.
    settle,
    current(): SqliteStore {
      if (!mayOpen) throw exchanged(path)
      settle()
      held ??= open()
      return held.store
    },
    // After a release, nothing is opened until `reopen`, when every connection of this process is closed.
    release,
    reopen() {
      for (const index of toClose.splice(0)) closeSync(index)
      mayOpen = true
    },
    // The guard first: the log then goes into the file, so that a copy of the file alone is complete. Nothing is opened afterwards.
    close() {
      mayOpen = false
      held?.guard.close()
      held?.store.close()
      if (held) closeSync(held.index)
      held = undefined
    },
  }
}

// Offsets of the WAL-index format (sqlite.org/walformat.html, section 2.3): the salt, which changes when the log is restarted;
// the number of frames copied into the file (nBackfill); and the number attempted (nBackfillAttempted). Read one by one, because
// locked bytes lie between them.
function readCheckpoint(index: number): CheckpointProgress {
  const [salt, copied, attempted] = [Buffer.alloc(8), Buffer.alloc(4), Buffer.alloc(4)]
  readSync(index, salt, 0, 8, 32)
  readSync(index, copied, 0, 4, 96)
  readSync(index, attempted, 0, 4, 128)
  const progress = [salt, copied, attempted].map((each) => each.toString('hex')).join(' ')
  return { copied: progress, isUnderWay: !copied.equals(attempted) }
}

// The index is read before the time of the file, so that a checkpoint in between is not taken for a foreign write.
function readFileVersion(path: string, index: number): FileVersion {
  const checkpoint = readCheckpoint(index)
  const { mtimeNs, size } = statSync(path, { bigint: true })
  return { checkpoint, written: `${mtimeNs} ${size}` }
}

// Whether every write to the file in between was SQLite's own.
const isOwnWrite = (last: FileVersion, next: FileVersion): boolean =>
  next.written === last.written || next.checkpoint.copied !== last.checkpoint.copied || next.checkpoint.isUnderWay

// SQLite would apply a log that is left beside another database to it. The log is renamed, not deleted, in case of a mistake.
function removeOldLog(path: string, released: Files) {
  const now = filesOf(path)
  if (now.database === 'none' || now.database === released.database) return
  if (now.log === released.log && now.log !== 'none') renameSync(`${path}-wal`, `${path}-wal.left`)
  if (now.index === released.index) rmSync(`${path}-shm`, { force: true })
}
