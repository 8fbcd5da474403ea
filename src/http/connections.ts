// The connections of a listener: how many an address may have, which of them gives way to a new one, and how one is ended.
// Trusted proxies may have any number: behind them are many callers.
import type { Server, Socket } from 'node:net'
import type { Log } from '../platform/log.ts'
import { canonicalAddress, type TrustedProxies } from './address.ts'
import type { NodeRequest, NodeResponse } from './node-request.ts'
import type { Peer, Turn, Unsent } from './unsent.ts'

// Why a connection was ended, or not begun: its caller does not read; all callers together hold too much memory; it did nothing
// while its address needed another; its address has as many as it may have.
export const endReasons = ['unread', 'crowded', 'idle', 'refused'] as const
export type EndReason = (typeof endReasons)[number]

type OnEnd = (why: EndReason, details: { readonly address: string; readonly [name: string]: unknown }) => void

export interface ConnectionLimits {
  readonly unsent: Unsent
  readonly mostPerAddress: number
  readonly onEnd: OnEnd
  readonly now?: () => number
}

interface Connection extends Peer {
  // Requests without a complete answer, and since when there are none.
  requests: number
  quietSince: number
  giveWay(): void
}

export interface Connections {
  // The turn of a request; undefined: its connection has gone, and its response is ended.
  enter(request: NodeRequest, response: NodeResponse): Turn | undefined
}

// A connection idle for this long gives way to a new one from its address. Younger ones do not, so that a flood neither pushes out
// its neighbours nor causes endless handshakes.
const quietEnoughMs = 10_000

export function limitConnections(
  server: Server,
  trusted: TrustedProxies,
  { unsent, mostPerAddress, onEnd, now = () => performance.now() }: ConnectionLimits,
): Connections {
  const byName = new Map<string, Connection>()
  const byAddress = new Map<string, Set<Connection>>()

  const longestQuiet = (connections: ReadonlySet<Connection>): Connection | undefined => {
    let found: Connection | undefined
    for (const each of connections)
      if (each.requests === 0 && (!found || each.quietSince < found.quietSince)) found = each
    return found && now() - found.quietSince >= quietEnoughMs ? found : undefined
  }

  const isAdmitted = (socket: Socket): boolean => {
    const { remoteAddress } = socket
    // It has gone already.
    if (remoteAddress === undefined) return false
    const address = canonicalAddress(remoteAddress)
    const others = byAddress.get(address) ?? new Set()
    if (others.size >= mostPerAddress && !trusted.has(remoteAddress)) {
      const quiet = longestQuiet(others)
      onEnd(quiet ? 'idle' : 'refused', { address, connections: others.size })
      if (!quiet) return false
      quiet.giveWay()
    }
    byAddress.set(address, others.add(keep(socket, address)))
    return true
  }

  const keep = (socket: Socket, address: string): Connection => {
    const connection: Connection = {
      address,
      requests: 0,
      quietSince: now(),
      // What the system holds of its answers is given up, too.
      end(why, { answers, waitedMs }) {
        onEnd(why, { address, answers, waited_ms: Math.round(waitedMs) })
        socket.resetAndDestroy()
      },
      giveWay() {
        forget()
        socket.destroy()
      },
    }
    // Else each piece of an answer would wait until its caller has acknowledged the one before, 40 ms (Nagle's algorithm).
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
      // Of several pipelined requests, Node.js tells of the first alone that its connection has gone.
      unsent.gone(connection)
    })
    return connection
  }

  // Before anything else is done for it: a TLS handshake is work.
  const begin = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (isAdmitted(socket)) for (const each of begin) each.call(server, socket)
    else {
      socket.on('error', () => {})
      socket.resetAndDestroy()
    }
  })

  return {
    enter(request, response) {
      const connection = byName.get(nameOf(request.socket))
      if (!connection) {
        response.destroy()
        return undefined
      }
      const turn = unsent.enter(connection)
      connection.requests += 1
      ;(response as NodeJS.EventEmitter).once('close', () => {
        connection.requests -= 1
        connection.quietSince = now()
        turn.leave()
      })
      return turn
    },
  }
}

// The same for a connection and for what TLS and HTTP/2 make of it.
const nameOf = ({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>) =>
  `${remoteAddress} ${remotePort}`

const tellEveryMs = 10_000

// For the log. Who is refused costs nothing and comes as often as it likes: that is told now and then, with how often it was so.
export function tellEnds(log: Log, now = () => performance.now()): OnEnd {
  let [toldAt, times] = [-Infinity, 0]
  return (why, details) => {
    if (why === 'unread' || why === 'crowded') {
      log[why === 'unread' ? 'info' : 'warn']('connection_ended', { why, ...details })
      return
    }
    times += 1
    if (now() - toldAt < tellEveryMs) return
    log.warn('too_many_connections', { ...details, times })
    ;[toldAt, times] = [now(), 0]
  }
}
