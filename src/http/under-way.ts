// Tracks the connections of a listener and the requests on each, so that a connection can be ended without losing the answer to an
// accepted request.
import type { Server } from 'node:http'
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { isComplete, type NodeRequest } from './node-request.ts'

export interface UnderWay {
  add(request: NodeRequest): void
  // It is answered, or its caller has gone.
  remove(request: NodeRequest): void
  // Called just before an answer is sent. While draining, it sends GOAWAY with the last answer of an HTTP/2 session: requests that
  // the caller sends before it hears of GOAWAY are refused.
  beforeAnswer(request: NodeRequest): void
  // Calls back once every accepted request on this connection is answered, not counting requests whose body is incomplete.
  whenAnswered(socket: object, then: () => void): void
  // Accepts no more connections, and ends the open ones once every accepted request is answered, or after `mostMs`, because a
  // caller may never read its answer. Returns the number of requests that were cut off.
  drain(mostMs: number): Promise<number>
}

// A caller on a kept-alive connection may be sending its next request now: it is answered and told to close.
const lastRequestMs = 1000

async function untilNone(sockets: ReadonlySet<Socket>, mostMs: number): Promise<void> {
  const end = performance.now() + mostMs
  while (sockets.size > 0 && performance.now() < end) await wait(10)
}

// Closing a listener resets connections that the kernel has made and we have not accepted yet. So it is closed just after an idle
// iteration of the event loop.
const quietMs = 0.1
const mostIterations = 2000

async function untilQuiet(): Promise<void> {
  for (let iteration = 0; iteration < mostIterations; iteration += 1) {
    const begun = performance.now()
    await new Promise(setImmediate)
    if (performance.now() - begun < quietMs) return
  }
}

const sessionOf = (request: NodeRequest) => ('stream' in request ? request.stream.session : undefined)

export function trackUnderWay(server: Server | Http2SecureServer): UnderWay {
  const sockets = new Set<Socket>()
  const sessions = new Set<ServerHttp2Session>()
  const requests = new Set<NodeRequest>()
  const waiting = new Set<() => void>()
  let isDraining = false
  ;(server as Server).on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  ;(server as Http2SecureServer).on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  const isAnswered = (socket?: object) =>
    ![...requests].some((request) => isComplete(request) && (!socket || request.socket === socket))
  const whenAnswered = (socket: object | undefined, then: () => void) => {
    const check = () => {
      if (!isAnswered(socket)) return
      waiting.delete(check)
      then()
    }
    waiting.add(check)
    check()
  }
  return {
    add: (request) => void requests.add(request),
    remove(request) {
      requests.delete(request)
      for (const check of waiting) check()
    },
    beforeAnswer(request) {
      const session = isDraining ? sessionOf(request) : undefined
      if (session && ![...requests].some((other) => other !== request && sessionOf(other) === session)) session.close()
    },
    whenAnswered,
    async drain(mostMs) {
      isDraining = true
      await untilQuiet()
      // Not the server's own close(), which treats a connection as idle while its answer is still being sent.
      const closed = new Promise((resolve) => NetServer.prototype.close.call(server as Server, resolve))
      await untilNone(sockets, lastRequestMs)
      for (const session of sessions) session.close()
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, mostMs)
        whenAnswered(undefined, () => {
          clearTimeout(timer)
          resolve()
        })
      })
      const cut = [...requests].filter(isComplete).length
      for (const socket of sockets) socket.destroy()
      await closed
      return cut
    },
  }
}
