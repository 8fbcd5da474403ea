// What asks a SQLite file, in a process of its own: a statement there cannot be interrupted, a process can be ended.
import { connect, type Connection } from '../../engine/sqlite/connection.ts'
import type { Statement } from '../../sql/statement.ts'
import { answerCalls, threadData } from '../../thread.ts'

const { path, lockTimeoutMs } = threadData() as { path: string; lockTimeoutMs: number }
// Opened for the first question, so that what is wrong with the file is an answer to it.
let connection: Connection | undefined

answerCalls(async (request) => {
  connection ??= connect(path, lockTimeoutMs)
  // `counts` would remember; each question is asked once.
  return { result: await connection.run.rows(request as Statement) }
})
