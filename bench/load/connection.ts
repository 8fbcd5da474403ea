// One keep-alive TLS connection that repeats requests as cheaply as possible: their bytes are made beforehand, and only the
// status and the length of an answer are checked.
import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import type { Place } from '../ask.ts'

/** The bytes of the next request; undefined at the end. */
export type Next = () => Buffer | undefined

const headEnd = Buffer.from('\r\n\r\n')

export async function openConnection({ port, ca }: Place): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ca })
  socket.setNoDelay(true)
  await once(socket, 'secureConnect')
  return socket
}

/** Sends requests until `next` returns undefined, and reports how long each answer took. */
export function keepAsking(
  socket: TLSSocket,
  next: Next,
  onAnswer: (ms: number, bytes: number) => void,
  pauseMs: number,
  statuses: RegExp,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let startedAt = 0
  let length = 0
  // Bytes of the body that are still to come.
  let left = 0
  let head: Buffer | undefined

  const send = () => {
    const bytes = next()
    if (!bytes) {
      socket.removeAllListeners('data').removeAllListeners('close').end()
      return resolve()
    }
    startedAt = performance.now()
    socket.write(bytes)
  }
  const answered = () => {
    onAnswer(performance.now() - startedAt, length)
    if (pauseMs > 0) setTimeout(send, pauseMs)
    else send()
  }
  const fail = (message: string) => {
    socket.destroy()
    reject(new Error(message))
  }
  socket.on('data', (chunk: Buffer) => {
    if (left > 0) {
      left -= chunk.length
    } else {
      const seen = head ? Buffer.concat([head, chunk]) : chunk
      const end = seen.indexOf(headEnd)
      head = end < 0 ? seen : undefined
      if (end < 0) return
      const text = seen.toString('latin1', 0, end)
      if (!statuses.test(text)) return fail(`not as it should be: ${seen.toString('utf8').slice(0, 1000)}`)
      length = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1])
      if (Number.isNaN(length)) return fail(`no Content-Length: ${text}`)
      left = length - (seen.length - end - headEnd.length)
    }
    if (left < 0) fail('more bytes than Content-Length says')
    else if (left === 0) answered()
  })
  socket.on('error', (error) => fail(`the connection failed: ${error.message}`))
  socket.on('close', () => fail('the connection was closed before the answer'))
  send()
  return promise
}
