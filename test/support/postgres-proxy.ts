// A loopback port in front of the shared PostgreSQL server that can do what a network or a dying server does: turn callers
// away, or fall silent with its connections open.
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { PostgresUrl } from '../../src/platform/postgres/url.ts'

export async function startProxy({ host, port }: PostgresUrl) {
  const sockets = new Set<Socket>()
  const attempts: number[] = []
  let isOpen = true
  const hold = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  }
  const server = createServer((caller) => {
    attempts.push(performance.now())
    hold(caller)
    if (!isOpen) return void caller.destroy()
    const behind = connect(port, host)
    hold(behind)
    caller.pipe(behind).pipe(caller)
    caller.once('close', () => behind.destroy())
    behind.once('close', () => caller.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const drop = () => sockets.forEach((socket) => socket.destroy())

  return {
    port: (server.address() as AddressInfo).port,
    /** When clients connected, in milliseconds of `performance.now()`. */
    attempts,
    /** Closes open connections and refuses new ones at once. */
    close() {
      isOpen = false
      drop()
    },
    open() {
      isOpen = true
    },
    /** Nothing that is sent arrives any more, on the connections that are open. */
    fallSilent() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    async remove() {
      server.close()
      drop()
      await once(server, 'close')
    },
  }
}
