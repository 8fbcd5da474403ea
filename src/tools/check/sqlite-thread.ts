// The thread that asks a SQLite file: a statement there cannot be interrupted, a thread can be ended.
import { workerData } from 'node:worker_threads'
import { connect } from '../../engine/sqlite/connection.ts'
import type { Statement } from '../../sql/statement.ts'
import { answerCalls } from '../../thread.ts'

const { path, lockTimeoutMs } = workerData as { path: string; lockTimeoutMs: number }
const { run } = connect(path, lockTimeoutMs)

// `counts` would remember; each question is asked once.
answerCalls(async (request) => ({ result: await run.rows(request as Statement) }))
