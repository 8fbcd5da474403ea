// What is under way on a listener: its connections, and the requests on each. Needed where a connection is to be ended
// without taking an accepted request's answer away.
import type { Server, ServerResponse } from 'node:http'
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { isWhole, type NodeRequest, type NodeResponse } from './node-request.ts'

export interface UnderWay {
  add(request: NodeRequest, response: NodeResponse): void
  // Just before an answer is sent. While connections are being ended, it tells an HTTP/2 caller to ask no more if nothing else
  // of it is under way: what it sends before it hears of that is refused, so that it must hear of it with an answer.
  beforeAnswer(request: NodeRequest): void
  // Once every accepted request on this connection is answered. A request whose own body never ends is not waited for.
  whenAnswered(socket: object, then: () => void): void
  // Takes no more connections, and ends those there are once every accepted request is answered, or after so long: a caller
  // that does not read its answer keeps nobody from ending. How many requests were cut.
  drain(mostMs: number): Promise<number>
}

// A caller that keeps its connection may be sending its next request just now: it is answered, and told to close.
const lastRequestMs = 1000

async function untilNone(sockets: ReadonlySet<Socket>, mostMs: number): Promise<void> {
  const end = performance.now() + mostMs
  while (sockets.size > 0 && performance.now() < end) await wait(10)
}

// Connections that the system has made and nobody has accepted yet are lost when a listener closes: it is closed just after a
// turn of the event loop in which there was nothing to do.
const quietMs = 0.1
const mostTurns = 2000

async function untilQuiet(): Promise<void> {
  for (let turn = 0; turn < mostTurns; turn += 1) {
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
    ![...requests].some((request) => isWhole(request) && (!socket || request.socket === socket))
  const whenAnswered = (socket: object | undefined, then: () => void) => {
    const look = () => {
      if (!isAnswered(socket)) return
      waiting.delete(look)
      then()
    }
    waiting.add(look)
    look()
  }
  return {
    add(request, response) {
      requests.add(request)
      ;(response as ServerResponse).once('close', () => {
        requests.delete(request)
        for (const look of waiting) look()
      })
    },
    beforeAnswer(request) {
      const session = isDraining ? sessionOf(request) : undefined
      if (session && ![...requests].some((other) => other !== request && sessionOf(other) === session)) session.close()
    },
    whenAnswered,
    async drain(mostMs) {
      isDraining = true
      await untilQuiet()
      // Not the server's own close(): it takes a connection for idle while its answer is still being sent.
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
      const cut = [...requests].filter(isWhole).length
      for (const socket of sockets) socket.destroy()
      await closed
      return cut
    },
  }
}
