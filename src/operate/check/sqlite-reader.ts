// What asks a SQLite file, in a process of its own: a statement there cannot be interrupted, a process can be ended.
import { createSqliteSource } from '../../engine/sqlite/source.ts'
import type { Statement } from '../../sql/statement.ts'
import { answerCalls, threadData } from '../../platform/thread.ts'

const { path, lockTimeoutMs } = threadData() as { path: string; lockTimeoutMs: number }
// Opened for the first question, so that what is wrong with the file is an answer to it.
const source = createSqliteSource({ path, lockTimeoutMs, onConnected: () => {} })

answerCalls(async (request) => ({
  result: await source.within(async (snapshot) => snapshot.rows(request as Statement)),
}))
