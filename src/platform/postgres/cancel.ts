// Asks a PostgreSQL server to stop the statement of a connection. The protocol needs a separate connection for that, which the
// server closes without an answer. (The client library can do it only without TLS.)
import { connect as connectPlain, isIP } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import type { PostgresUrl } from './url.ts'

// Sent by the server when the connection began.
export interface CancelKey {
  readonly processID: number
  readonly secretKey: number
}

// PostgreSQL's protocol, section 54.7: SSLRequest and CancelRequest.
const sslCode = 80877103
const cancelCode = 80877102

const message = (...integers: number[]) => {
  const bytes = Buffer.alloc(4 + 4 * integers.length)
  ;[bytes.length, ...integers].forEach((integer, at) => bytes.writeInt32BE(integer, 4 * at))
  return bytes
}

export function requestCancel(
  { host, port }: PostgresUrl,
  tls: ConnectionOptions | false,
  { processID, secretKey }: CancelKey,
  timeoutMs: number,
): void {
  const socket = host.startsWith('/') ? connectPlain(`${host}/.s.PGSQL.${port}`) : connectPlain(port, host)
  const request = message(cancelCode, processID, secretKey)
  // Failures are ignored: the statement timeout of the server ends the statement anyway.
  const end = () => socket.destroy()
  socket.setTimeout(timeoutMs, end)
  socket.on('error', end)
  if (!tls) return void socket.once('connect', () => socket.end(request))
  socket.once('connect', () => socket.write(message(sslCode)))
  socket.once('data', (answer) => {
    if (answer.toString('latin1') !== 'S') return end()
    try {
      const secured = connectTls({ ...tls, socket, host, ...(isIP(host) === 0 ? { servername: host } : {}) })
      secured.on('error', end)
      secured.once('secureConnect', () => secured.end(request))
    } catch {
      end()
    }
  })
}
