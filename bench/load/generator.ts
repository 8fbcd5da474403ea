// The load, in a process of its own so that it takes nothing from the process that is measured: a job comes in, the times
// of its requests go out.
import type { Place } from '../ask.ts'
import { answerParent, startChild } from '../child.ts'
import { keepAsking, openConnection } from './connection.ts'

export interface Job {
  readonly place: Place
  readonly token?: string
  /** Made-up tokens, one for each path: every answer is 401 or 429. */
  readonly madeUp?: readonly string[]
  readonly paths: readonly string[]
  /** Each path once, in order. Otherwise random paths, repeatedly. */
  readonly isInOrder?: boolean
  readonly connections: number
  readonly seconds: number
  /** The least number of requests, even if they take longer than `seconds`. */
  readonly atLeast?: number
  /** The pause between an answer and the next request. */
  readonly pauseMs?: number
}

export interface Done {
  readonly seconds: number
  readonly bytes: number
  /** Milliseconds, in the order of the answers; with one connection, in the order of the paths. */
  readonly times: Float64Array
}

export const startGenerator = (niceness: number) => startChild<Job, Done>(new URL(import.meta.url), niceness)

async function run(job: Job): Promise<Done> {
  const { paths, atLeast = 1, pauseMs = 0 } = job
  const statuses = job.madeUp ? /^HTTP\/1\.1 4(01|29) / : /^HTTP\/1\.1 200 /
  const bytesOf = (path: string, at: number) => {
    const token = job.madeUp?.[at] ?? job.token
    return Buffer.from(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${token ? `Authorization: Bearer ${token}\r\n` : ''}\r\n`,
    )
  }
  const requests = paths.map(bytesOf)
  const sockets = await Promise.all(Array.from({ length: job.connections }, () => openConnection(job.place)))
  const times: number[] = []
  let bytes = 0
  let asked = 0
  const startedAt = performance.now()
  const endsAt = startedAt + job.seconds * 1000
  const next = () => {
    if (asked >= atLeast && performance.now() >= endsAt) return undefined
    const request = requests[job.isInOrder ? asked : Math.floor(Math.random() * requests.length)]
    asked += 1
    return request
  }
  const onAnswer = (ms: number, length: number) => {
    times.push(ms)
    bytes += length
  }
  await Promise.all(sockets.map((socket) => keepAsking(socket, next, onAnswer, pauseMs, statuses)))
  return { seconds: (performance.now() - startedAt) / 1000, bytes, times: Float64Array.from(times) }
}

if (import.meta.main) answerParent(run)
