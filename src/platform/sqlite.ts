// The one door to node:sqlite (whose class is about to be renamed): connections for POS data, state and the tools.
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

export type Sqlite = DatabaseSync
export type SqliteStatement = StatementSync

interface OpenOptions {
  readonly readOnly?: boolean
  // How long a statement waits for a lock of another connection.
  readonly lockTimeoutMs?: number
}

export function openSqlite(path: string, { readOnly = false, lockTimeoutMs = 0 }: OpenOptions = {}): Sqlite {
  // Extensions and double-quoted strings stay off: a misspelt column is an error, not a text.
  return new DatabaseSync(path, { readOnly, timeout: lockTimeoutMs, enableDoubleQuotedStringLiterals: false })
}

// What the first bytes of a file tell, without opening it as a database (which would leave files beside it). The places
// are those of the SQLite file format, section 1.3. An empty file is a database that nothing was written to yet.
interface SqliteHeader {
  readonly applicationId: number
  readonly userVersion: number
  readonly hasTables: boolean
  readonly isWal: boolean
}

export function readSqliteHeader(path: string): SqliteHeader | undefined {
  if (!statSync(path).isFile()) return undefined
  const header = Buffer.alloc(100)
  const file = openSync(path, 'r')
  let length: number
  try {
    length = readSync(file, header)
  } finally {
    closeSync(file)
  }
  if (length > 0 && !header.toString('latin1').startsWith('SQLite format 3\0')) return undefined
  return {
    applicationId: header.readUInt32BE(68),
    userVersion: header.readUInt32BE(60),
    hasTables: header.readUInt32BE(40) !== 0,
    isWal: header[18] === 2,
  }
}

export function inTransaction<Result>(database: Sqlite, begin: 'BEGIN' | 'BEGIN IMMEDIATE', run: () => Result): Result {
  database.exec(begin)
  try {
    const result = run()
    database.exec('COMMIT')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

// By SQLite's number for it, or the system's name: what is wrong with a file, and what to do.
const problems: readonly [codes: readonly (number | string)[], is: string, remedy: string][] = [
  [[5, 6], 'is locked by another program', 'Wait until that one is done, and try again.'],
  [
    [11, 26],
    'is damaged',
    'If it was copied over while programs had it open, end them all, the service, too; else put a backup in its place.',
  ],
  [[13], 'is on a full disk', 'Make room, and try again.'],
  [[10], 'cannot be read or written', 'See to its disk.'],
  [['EISDIR'], 'is a folder', 'Name the file in it.'],
  [[3, 8, 14, 23, 'EACCES', 'EPERM'], 'may not be used by this user', 'See who owns it and its folder.'],
]

// What the database or the file system refused, as a sentence; undefined when the failure was not of the file.
export function fileProblem(name: string, error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { errcode, code } = error as { errcode?: number; code?: string }
  const key = errcode === undefined ? code : errcode & 0xff
  if (key === undefined) return undefined
  const known = problems.find(([codes]) => codes.includes(key))
  return known ? `${name} ${known[1]} (${error.message}). ${known[2]}` : `${name} cannot be used: ${error.message}.`
}

// Which file a path leads to, and when it was written. A connection sees what others write through SQLite, and nothing of a
// file that is copied over the one it has open.
export interface FileStamp {
  readonly file: string
  readonly writtenAt: number
}

export function stampOf(path: string): FileStamp {
  // Of its times, the one that nobody can set, as `cp -p` does the other.
  const { dev, ino, ctimeMs } = statSync(path)
  return { file: `${dev}:${ino}`, writtenAt: ctimeMs }
}

const mostOpenings = 3

// Opens what a path leads to, with its stamp. If another file is put in its place just then, and the first one back, the stamp would
// be of the wrong one for as long as it stays open: it is taken before and after.
export function openStamped<Opened extends { close(): void }>(
  path: string,
  open: () => Opened,
  stampFor = stampOf,
): { readonly opened: Opened; readonly stamp: FileStamp } {
  for (let opening = 0; opening < mostOpenings; opening += 1) {
    const stamp = stampFor(path)
    const opened = open()
    let isSame = false
    try {
      isSame = stampFor(path).file === stamp.file
      if (isSame) return { opened, stamp }
    } finally {
      if (!isSame) opened.close()
    }
  }
  throw Object.assign(new Error('other files are put in its place all the time'), { code: 'ESTALE' })
}

// With a log beside it (WAL), the file itself is written only when the log is emptied: to open it anew then costs little. Without
// one, SQLite looks at the counter of changes in the file each time (see below).
export const isSameFile = (one: FileStamp, other: FileStamp, isWal: boolean): boolean =>
  one.file === other.file && (!isWal || one.writtenAt === other.writtenAt)

// Tells, look by look, what SQLite does not see in a file without a log: it was written, but no change was counted. Then another one
// was copied over it, which had been changed as often.
export function noticeCopies(): (writtenAt: number, version: number) => boolean {
  let last: { readonly writtenAt: number; readonly version: number } | undefined
  return (writtenAt, version) => {
    const isCopied = last?.version === version && last.writtenAt !== writtenAt
    last = { writtenAt, version }
    return isCopied
  }
}

export const hasLog = (sqlite: Sqlite, schema: 'main' | 'pos' = 'main'): boolean =>
  sqlite.prepare(`PRAGMA ${schema}.journal_mode`).get()?.['journal_mode'] === 'wal'

interface Watched {
  readonly stamp: FileStamp
  readonly sqlite: Sqlite
  readonly version: () => number
  readonly isCopied: ReturnType<typeof noticeCopies>
}

interface Watch {
  // Changes whenever anybody has written to the file, or has put another in its place; undefined: what it shows may change
  // without that. Looks at once.
  look(): string | undefined
  // The file that the last look was at.
  file(): string | undefined
  // Whoever asks within one turn of the event loop gets the same answer, found once everything that had arrived by then was read:
  // no request that came after a change is ever told of the time before it.
  version(): Promise<string | undefined>
  close(): void
}

interface WatchOptions {
  // Whether a change of what it shows is always told.
  readonly tells?: (sqlite: Sqlite) => boolean
  readonly stampFor?: typeof stampOf
  // Told when other files are in its place; it is then not opened anew. Without it, it is.
  readonly onExchanged?: () => void
}

// Looks at a file that others write: SQLite tells exactly whether they have, for the price of a look into its log's index.
export function watchVersion(
  path: string,
  { tells = () => true, stampFor = stampOf, onExchanged }: WatchOptions = {},
): Watch {
  let open: Watched | undefined
  // As it was at the last change: a file may get a log, or lose it.
  let isWal = false
  let looking: Promise<string | undefined> | undefined
  // Each connection counts by itself: a file that is put back after another would seem to be as it was.
  let openings = 0
  let last: { readonly version: string; readonly tells: boolean } | undefined
  let isClosed = false
  const close = () => {
    open?.sqlite.close()
    open = undefined
  }
  const openToWatch = () => {
    const sqlite = openSqlite(path, { readOnly: true })
    try {
      const read = sqlite.prepare('PRAGMA data_version')
      const version = () => Number(read.get()?.['data_version'])
      // Only now is the log there, if there was none.
      version()
      return { sqlite, version, close: () => sqlite.close() }
    } catch (error) {
      sqlite.close()
      throw error
    }
  }
  const openAnew = (): Watched => {
    close()
    const { opened, stamp } = openStamped(path, openToWatch, stampFor)
    openings += 1
    open = { stamp, ...opened, isCopied: noticeCopies() }
    return open
  }
  const look = () => {
    if (isClosed) throw new Error('nobody looks any more')
    const stamp = stampFor(path)
    if (open && open.stamp.file !== stamp.file && onExchanged) {
      onExchanged()
      throw new Error('other files are in its place')
    }
    if (!open || !isSameFile(open.stamp, stamp, isWal)) open = openAnew()
    let count = open.version()
    if (open.isCopied(stamp.writtenAt, count) && !isWal) {
      open = openAnew()
      count = open.version()
      open.isCopied(stamp.writtenAt, count)
    }
    const version = `${openings}:${count}`
    if (last?.version !== version) {
      isWal = hasLog(open.sqlite)
      last = { version, tells: tells(open.sqlite) }
    }
    return last.tells ? version : undefined
  }
  return {
    look,
    file: () => open?.stamp.file,
    version() {
      looking ??= new Promise((resolve, reject) => {
        setImmediate(() => {
          looking = undefined
          try {
            resolve(look())
          } catch (error) {
            reject(error)
          }
        })
      })
      return looking
    },
    close() {
      isClosed = true
      close()
    },
  }
}
