// Limits the connections of each address on a listener: which one gives way to a new one, and how it ends. Trusted proxies have no
// limit, because many callers are behind them.
import type { Server, Socket } from 'node:net'
import type { Log } from '../platform/log.ts'
import { canonicalAddress, type TrustedProxies } from './address.ts'
import type { NodeRequest, NodeResponse } from './node-request.ts'
import { AnswerSlot, type Backlog, type Unsent, type UnsentPeer } from './unsent.ts'

// Why a connection was ended or refused. unread: its caller does not read. crowded: unread answers take too much memory. idle: it
// gave way to another one of its address. refused: its address has the most connections allowed.
export const endReasons = ['unread', 'crowded', 'idle', 'refused'] as const
export type EndReason = (typeof endReasons)[number]

type OnEnd = (why: EndReason, details: { readonly address: string; readonly [name: string]: unknown }) => void

export interface ConnectionLimits {
  readonly unsent: Unsent
  readonly mostPerAddress: number
  readonly onEnd: OnEnd
  readonly now?: () => number
}

interface TrackedConnection {
  readonly backlog: Backlog
  // Requests without a complete answer, and since when there has been none.
  requests: number
  quietSince: number
  giveWay(): void
}

export interface Connections {
  // undefined: the connection has gone, and the response is destroyed. `onClose` is called once the response has ended, or has failed.
  enter(request: NodeRequest, response: NodeResponse, onClose?: () => void): AnswerSlot | undefined
  // Closes the connection of a socket, whatever waits to be sent on it.
  closerOf(socket: Named): () => void
}

// A connection that is idle for this long gives way to a new one of its address. Others do not, so that a flood neither pushes out
// its neighbours nor causes endless handshakes.
const quietEnoughMs = 10_000

export function limitConnections(
  server: Server,
  trusted: TrustedProxies,
  { unsent, mostPerAddress, onEnd, now = () => performance.now() }: ConnectionLimits,
): Connections {
  const byName = new Map<string, TrackedConnection>()
  const byAddress = new Map<string, Set<TrackedConnection>>()

  const longestQuiet = (connections: ReadonlySet<TrackedConnection>): TrackedConnection | undefined => {
    let quietest: TrackedConnection | undefined
    for (const each of connections)
      if (each.requests === 0 && (!quietest || each.quietSince < quietest.quietSince)) quietest = each
    return quietest && now() - quietest.quietSince >= quietEnoughMs ? quietest : undefined
  }

  const isAdmitted = (socket: Socket): boolean => {
    const { remoteAddress } = socket
    // It has already gone.
    if (remoteAddress === undefined) return false
    const address = canonicalAddress(remoteAddress)
    const others = byAddress.get(address) ?? new Set()
    if (others.size >= mostPerAddress && !trusted.has(remoteAddress)) {
      const quiet = longestQuiet(others)
      onEnd(quiet ? 'idle' : 'refused', { address, connections: others.size })
      if (!quiet) return false
      quiet.giveWay()
    }
    byAddress.set(address, others.add(track(socket, address)))
    return true
  }

  const track = (socket: Socket, address: string): TrackedConnection => {
    const peer: UnsentPeer = {
      // Resets, so that the system drops its buffered answers too.
      end(why, { answers, waitedMs }) {
        onEnd(why, { address, answers, waited_ms: waitedMs })
        socket.resetAndDestroy()
      },
    }
    const connection: TrackedConnection = {
      backlog: unsent.open(peer),
      requests: 0,
      quietSince: now(),
      giveWay() {
        forget()
        socket.destroy()
      },
    }
    // Otherwise (Nagle's algorithm) each piece of an answer would wait 40 ms for the acknowledgement of the one before.
    socket.setNoDelay(true)
    const name = nameOf(socket)
    byName.set(name, connection)
    const forget = () => {
      if (byName.get(name) === connection) byName.delete(name)
      const others = byAddress.get(address)
      others?.delete(connection)
      if (others?.size === 0) byAddress.delete(address)
    }
    socket.on('error', () => {})
    socket.once('close', () => {
      forget()
      unsent.gone(connection.backlog)
    })
    return connection
  }

  // Before the listeners of the server itself, because a TLS handshake is expensive.
  const serverListeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (isAdmitted(socket)) for (const listener of serverListeners) listener.call(server, socket)
    else {
      socket.on('error', () => {})
      socket.resetAndDestroy()
    }
  })

  return {
    enter(request, response, onClose) {
      const connection = byName.get(nameOf(request.socket))
      const slot = connection && new AnswerSlot(connection.backlog)
      ;(response as NodeJS.EventEmitter).once('close', () => {
        if (connection) {
          connection.requests -= 1
          connection.quietSince = now()
        }
        slot?.leave()
        onClose?.()
      })
      if (connection) connection.requests += 1
      else response.destroy()
      return slot
    },
    closerOf(socket) {
      const connection = byName.get(nameOf(socket))
      return () => connection?.giveWay()
    },
  }
}

type Named = Pick<Socket, 'remoteAddress' | 'remotePort'>

// The same for a socket and for the TLS or HTTP/2 socket on top of it.
const nameOf = ({ remoteAddress, remotePort }: Named) => `${remoteAddress} ${remotePort}`

const logEveryMs = 10_000

// Refused connections are rate-limited in the log, with their number, because a caller can cause any number of them.
export function logEnds(log: Log, now = () => performance.now()): OnEnd {
  let [loggedAt, times] = [-Infinity, 0]
  return (why, details) => {
    if (why === 'unread' || why === 'crowded') {
      const fields = { why, ...details }
      return why === 'unread' ? log.info('connection_ended', fields) : log.warn('connection_ended', fields)
    }
    times += 1
    if (now() - loggedAt < logEveryMs) return
    log.warn('too_many_connections', { ...details, times })
    ;[loggedAt, times] = [now(), 0]
  }
}
