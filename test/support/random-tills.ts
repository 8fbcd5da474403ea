// A thread that plays the tills of a SQLite file: random transactions, some of which are rolled back, until it is stopped.
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { sale } from './exact.ts'
import { randomFrom } from './random.ts'

interface Task {
  readonly path: string
  readonly seed: number
  readonly pauseMs: number
  readonly shared: Int32Array
}

export function startTills(path: string, seed: number, pauseMs = 1) {
  const shared = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(new URL(import.meta.url), { workerData: { path, seed, pauseMs, shared } satisfies Task })
  const ended = new Promise<void>((resolve, reject) => {
    worker.on('error', reject)
    worker.on('exit', () => resolve())
  })
  const committed = () => Atomics.load(shared, 1)
  return {
    /** How many transactions were committed so far. */
    committed,
    async stop(): Promise<number> {
      Atomics.store(shared, 0, 1)
      await ended
      return committed()
    },
  }
}

if (!isMainThread) {
  const { path, seed, pauseMs, shared } = workerData as Task
  const random = randomFrom(seed)
  const database = openSqlite(path, { lockTimeoutMs: 30_000 })
  database.exec('PRAGMA synchronous = OFF')
  while (Atomics.load(shared, 0) === 0) {
    database.exec('BEGIN IMMEDIATE')
    for (const statement of sale(random, { hasReplace: true })) database.exec(statement)
    if (random.chance(0.2)) database.exec('ROLLBACK')
    else {
      database.exec('COMMIT')
      Atomics.add(shared, 1, 1)
    }
    Atomics.wait(shared, 0, 0, pauseMs)
  }
  database.close()
}
