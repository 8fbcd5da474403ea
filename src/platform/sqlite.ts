// The only file that uses node:sqlite (whose class is about to be renamed): connections for POS data, state and tools.
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

export type Sqlite = DatabaseSync
export type SqliteStatement = StatementSync

interface SqliteOptions {
  readonly readOnly?: boolean
  readonly lockTimeoutMs?: number
}

export function openSqlite(path: string, { readOnly = false, lockTimeoutMs = 5000 }: SqliteOptions = {}): Sqlite {
  // Without double-quoted strings, a misspelt column is an error and not a text.
  return new DatabaseSync(path, { readOnly, timeout: lockTimeoutMs, enableDoubleQuotedStringLiterals: false })
}

// The header of a file, read without opening it as a database, which would leave files beside it. Offsets: SQLite file format,
// section 1.3. An empty file is a new database.
interface SqliteHeader {
  readonly applicationId: number
  readonly userVersion: number
  // How often the file was changed, as far as SQLite counts it.
  readonly changes: number
  readonly hasTables: boolean
  readonly isWal: boolean
}

export function readSqliteHeader(path: string): SqliteHeader | undefined {
  if (!statSync(path).isFile()) return undefined
  const file = openSync(path, 'r')
  try {
    return sqliteHeader(file)
  } finally {
    closeSync(file)
  }
}

export function sqliteHeader(file: number): SqliteHeader | undefined {
  const header = Buffer.alloc(100)
  const length = readSync(file, header, 0, header.length, 0)
  if (length > 0 && !header.toString('latin1').startsWith('SQLite format 3\0')) return undefined
  return {
    applicationId: header.readUInt32BE(68),
    userVersion: header.readUInt32BE(60),
    changes: header.readUInt32BE(24),
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

// By SQLite's or the system's error code.
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

// A failure of the database or the file system as a sentence; undefined for any other failure.
export function fileProblem(name: string, error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { errcode, code } = error as { errcode?: number; code?: string }
  const key = errcode === undefined ? code : errcode & 0xff
  if (key === undefined) return undefined
  const known = problems.find(([codes]) => codes.includes(key))
  return known ? `${name} ${known[1]} (${error.message}). ${known[2]}` : `${name} cannot be used: ${error.message}.`
}

// Identity and time of change of the file at a path. A connection notices writes through SQLite, but not a file that is copied over
// the one it has open.
interface FileStamp {
  readonly file: string
  readonly writtenAt: number
}

export function stampOf(path: string): FileStamp {
  // ctime, because mtime can be set, for example by `cp -p`.
  const { dev, ino, ctimeMs } = statSync(path)
  return { file: `${dev}:${ino}`, writtenAt: ctimeMs }
}

const mostOpenings = 3

// Opens a file and returns its stamp, taken before and after: if the file is replaced meanwhile, the stamp would belong to another
// file than the connection.
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
  throw Object.assign(new Error('the file is replaced again and again'), { code: 'ESTALE' })
}

// With WAL, the file itself is written only by checkpoints, so reopening it after each is cheap. Without WAL, SQLite reads the change
// counter in the file each time (see below).
export const isSameFile = (one: FileStamp, other: FileStamp, isWal: boolean): boolean =>
  one.file === other.file && (!isWal || one.writtenAt === other.writtenAt)

// For a file without WAL: detects a write that did not change the change counter. Then another file with the same counter was copied
// over it, which SQLite does not notice.
export function noticeCopies(): (writtenAt: number, version: number) => boolean {
  let last: { readonly writtenAt: number; readonly version: number } | undefined
  return (writtenAt, version) => {
    const isCopied = last?.version === version && last.writtenAt !== writtenAt
    last = { writtenAt, version }
    return isCopied
  }
}

export const hasLog = (sqlite: Sqlite): boolean =>
  sqlite.prepare('PRAGMA main.journal_mode').get()?.['journal_mode'] === 'wal'
