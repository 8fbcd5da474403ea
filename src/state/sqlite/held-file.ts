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

// What SQLite tells of a file that was damaged, or is not what it has of it in its memory: SQLITE_IOERR, SQLITE_CORRUPT,
// SQLITE_NOTADB.
export const isDamage = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && [10, 11, 26].includes(Number(error.errcode) & 0xff)

const fileOf = (path: string): string => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.dev}:${found.ino}` : 'none'
}

// A new file may get the number of one that was deleted, but not its time of birth.
const birthOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.birthtimeMs ?? 0

interface Files {
  readonly database: string
  readonly bornAt: number
  readonly log: string
  readonly index: string
}

const filesOf = (path: string): Files => ({
  database: fileOf(path),
  bornAt: birthOf(path),
  log: fileOf(`${path}-wal`),
  index: fileOf(`${path}-shm`),
})

// The stamp of the file and of its log, for whoever watches it.
export function stampWithLog(path: string): FileStamp {
  const { dev, ino, ctimeMs } = statSync(path)
  return { file: `${dev}:${ino} ${fileOf(`${path}-wal`)} ${fileOf(`${path}-shm`)}`, writtenAt: ctimeMs }
}

// What SQLite tells, in the index of the log, of what it copies into the file.
interface Told {
  readonly copied: string
  // It has begun, and may have failed: what is written to the file is its own, and the log is needed to end it.
  readonly isBegun: boolean
}

interface Look {
  readonly told: Told
  // When bytes of the file were last written, and how many there are: changed by a copy, and not by `chmod`.
  readonly written: string
}

interface Held {
  readonly store: SqliteStore
  // Only reads. As long as it is open, closing the store does not write the log into the file.
  readonly guard: Sqlite
  readonly files: Files
  readonly stamp: FileStamp
  // The index of the log, as a file that is read.
  readonly index: number
  last: Look
}

// Another process may be copying its log into the file just now: that is told as it begins, but for a moment.
const patienceMs = 200
const pauseMs = 10
const pause = (milliseconds: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)

export function holdFile(path: string, lockTimeoutMs: number, onExchanged: () => void) {
  let held: Held | undefined
  // The files that were let go: what is left of their log belongs to no other.
  let left: Files | undefined
  let mayOpen = true
  // Closing one takes away the locks of everybody in this process: not before all have let go.
  const toClose: number[] = []

  const open = (): Held => {
    requireFile(path)
    if (left) removeOldLog(path, left)
    const { opened: store, stamp: opened } = openStamped(path, () =>
      openStore(path, lockTimeoutMs, { empty: 'refused' }),
    )
    const guard = openSqlite(path, { readOnly: true, lockTimeoutMs })
    let index: number | undefined
    try {
      guard.prepare('SELECT is_enabled FROM company').get()
      index = openSync(`${path}-shm`, 'r')
      const [last, stamp, files] = [look(path, index), stampWithLog(path), filesOf(path)]
      if (files.database !== opened.file) throw exchanged(path)
      left = undefined
      return { store, guard, files, stamp, index, last }
    } catch (error) {
      store.close()
      guard.close()
      if (index !== undefined) toClose.push(index)
      throw error
    }
  }

  const letGo = (isCopiedOver = false) => {
    mayOpen = false
    if (!held) return
    left = isCopiedOver ? { ...held.files, database: 'none' } : held.files
    // In this order: see the guard.
    held.store.close()
    held.guard.close()
    toClose.push(held.index)
    held = undefined
  }

  // How others changed the files, if they did.
  const whatHappened = (now: Held): 'replaced' | 'copied over' | undefined => {
    try {
      if (stampWithLog(path).file !== now.stamp.file) return 'replaced'
      for (let waited = 0; waited < patienceMs; waited += pauseMs) {
        const next = look(path, now.index)
        if (isTold(now.last, next)) {
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
    const how = held && whatHappened(held)
    if (!how) return
    letGo(how === 'copied over')
    onExchanged()
    throw exchanged(path)
  }

  return {
    // After a call: what was written to files that are not ours any more is lost.
    settle,
    current(): SqliteStore {
      if (!mayOpen) throw exchanged(path)
      settle()
      held ??= open()
      return held.store
    },
    // Nothing is opened until everything in this process has let go of the file.
    letGo,
    takeUp() {
      for (const index of toClose.splice(0)) closeSync(index)
      mayOpen = true
    },
    // At the end: what is in the log goes into the file, for whoever copies it then.
    close() {
      held?.guard.close()
      held?.store.close()
      if (held) closeSync(held.index)
      held = undefined
    },
  }
}

// The places are those of the WAL-index format (sqlite.org/walformat.html, section 2.3): the salt, which a log that is begun
// anew changes; how many frames were copied into the file; and how many it was begun to copy. Bytes that are locked lie
// between them.
function tell(index: number): Told {
  const [salt, copied, begun] = [Buffer.alloc(8), Buffer.alloc(4), Buffer.alloc(4)]
  readSync(index, salt, 0, 8, 32)
  readSync(index, copied, 0, 4, 96)
  readSync(index, begun, 0, 4, 128)
  const told = [salt, copied, begun].map((each) => each.toString('hex')).join(' ')
  return { copied: told, isBegun: !copied.equals(begun) }
}

// The index is read before the time of the file: a checkpoint in between is then seen at the next look, not taken for the write
// of somebody else.
function look(path: string, index: number): Look {
  const told = tell(index)
  const { mtimeNs, size } = statSync(path, { bigint: true })
  return { told, written: `${mtimeNs} ${size}` }
}

// Whether what was written to the file since is SQLite's own.
const isTold = (last: Look, next: Look): boolean =>
  next.written === last.written || next.told.copied !== last.told.copied || next.told.isBegun

// Left beside a file that is another one than it was written for, the log would be laid over that. It is kept under another name:
// should this be a mistake, nothing is lost.
function removeOldLog(path: string, left: Files) {
  const now = filesOf(path)
  if (now.database === 'none') return
  if (now.database === left.database && now.bornAt === left.bornAt) return
  if (now.log === left.log && now.log !== 'none') renameSync(`${path}-wal`, `${path}-wal.left`)
  if (now.index === left.index) rmSync(`${path}-shm`, { force: true })
}
