// A thread that plays the point-of-sale system: it runs scripts on the POS database in turn, each in a transaction, as
// fast as it can, until it is stopped.
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { inTransaction, openSqlite } from '../../src/platform/sqlite.ts'

interface Task {
  readonly path: string
  readonly scripts: readonly string[]
  readonly pauseMs: number
  readonly stop: Int32Array
}

export function startWriter(path: string, scripts: readonly string[], pauseMs = 0): { stop(): Promise<void> } {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL(import.meta.url), { workerData: { path, scripts, pauseMs, stop } satisfies Task })
  const ended = new Promise<void>((resolve, reject) => {
    worker.on('error', reject)
    worker.on('exit', () => resolve())
  })
  return {
    stop() {
      Atomics.store(stop, 0, 1)
      return ended
    },
  }
}

if (!isMainThread) {
  const { path, scripts, pauseMs, stop } = workerData as Task
  const database = openSqlite(path, { lockTimeoutMs: 30_000 })
  database.exec('PRAGMA synchronous = OFF')
  while (Atomics.load(stop, 0) === 0)
    for (const script of scripts) {
      inTransaction(database, 'BEGIN IMMEDIATE', () => database.exec(script))
      if (pauseMs > 0) Atomics.wait(stop, 0, 0, pauseMs)
    }
  database.close()
}
