// Only one copy at a time writes into a SQLite file. The lock is on an empty file beside it, which stays: the system releases the lock
// when the process ends, however it ends. (In PostgreSQL the session holds a lock.)
import { OperatorError } from '../../errors.ts'
import { fileProblem, openSqlite, type Sqlite } from '../../platform/sqlite.ts'
import type { DatabaseUrl } from '../../settings/types.ts'

const busy = 5

export async function withCopyLock<Result>(url: DatabaseUrl, use: () => Promise<Result>): Promise<Result> {
  if (url.kind === 'postgres') return use()
  const lock = takeLock(url.path)
  try {
    return await use()
  } finally {
    lock.close()
  }
}

function takeLock(path: string): Sqlite {
  const file = `${path}-copying`
  let lock: Sqlite | undefined
  try {
    lock = openSqlite(file, { lockTimeoutMs: 0 })
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock?.close()
    const isTaken = (error as { errcode?: number }).errcode === busy
    const problem = isTaken ? `Another copy is being made in ${path}; wait for its end.` : fileProblem(file, error)
    throw problem === undefined ? error : new OperatorError(problem, 1)
  }
}
