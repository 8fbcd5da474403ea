// Tells plain HTTP from TLS on a TLS port, so that a caller that wrote http:// for https:// is told so instead of being hung up on.
// The first byte of a connection decides.
import type { Server, Socket } from 'node:net'

interface PlainCallers {
  // The first byte must come within this time, and a plain connection must end within it.
  readonly mostMs: number
  // Called with the connection, all of whose bytes are still to be read.
  readonly onPlain: (socket: Socket) => void
  readonly onLate: (socket: Socket) => void
}

// RFC 8446, section 5.1: a connection begins with a record of the type handshake. No HTTP request begins with this byte.
const handshake = 22

// To be called after the server has added its listeners, and before connections are limited.
export function divertPlain(server: Server, { mostMs, onPlain, onLate }: PlainCallers): void {
  const tlsListeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    let isPlain = false
    const timer = setTimeout(() => (isPlain ? onLate(socket) : socket.destroy()), mostMs)
    socket.once('close', () => clearTimeout(timer))
    const onReadable = () => {
      const bytes = socket.read() as Buffer | null
      // The connection has ended.
      if (bytes === null) return
      socket.off('readable', onReadable)
      socket.unshift(bytes)
      isPlain = bytes[0] !== handshake
      if (isPlain) {
        // Like a server of node:http: a caller may end its side once it has sent its request.
        socket.allowHalfOpen = true
        onPlain(socket)
        return
      }
      // The handshake has a time of its own.
      clearTimeout(timer)
      for (const listener of tlsListeners) listener.call(server, socket)
    }
    socket.on('readable', onReadable)
  })
}
