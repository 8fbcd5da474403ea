// The process that queries a SQLite file for `vitrine check`: a statement cannot be interrupted, but a process can be killed.
import { createSqliteSource } from '../../engine/sqlite/source.ts'
import type { Statement } from '../../sql/statement.ts'
import { answerCalls, threadData } from '../../platform/thread.ts'

const { path, lockTimeoutMs } = threadData() as { path: string; lockTimeoutMs: number }
// Opened by the first query, so that its answer reports faults of the file.
const source = createSqliteSource(path, lockTimeoutMs, () => {}, 'all')

answerCalls(async (request) => ({
  result: await source.within(async (snapshot) => snapshot.rows(request as Statement)),
}))
