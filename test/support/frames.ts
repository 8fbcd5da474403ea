// HTTP/2 frames written by hand (RFC 9113), for what no well-behaved client would send.
import { Buffer } from 'node:buffer'
import { connect, type TLSSocket } from 'node:tls'

export const types = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const
export const flags = { none: 0, endStream: 1, ack: 1, endHeaders: 4 } as const

export interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

export function frame(type: number, bits: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(bits, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

// HPACK (RFC 7541): an integer with a prefix of seven bits, and a header that is spelled out and not remembered.
function integer(value: number): number[] {
  if (value < 127) return [value]
  const bytes = [127]
  let rest = value - 127
  for (; rest >= 128; rest >>>= 7) bytes.push((rest & 127) | 128)
  return [...bytes, rest]
}
const text = (value: string) => Buffer.concat([Buffer.from(integer(value.length)), Buffer.from(value, 'latin1')])
export const header = (name: string, value: string) => Buffer.concat([Buffer.of(0), text(name), text(value)])

export const request = (path: string, method = 'GET', more: readonly Buffer[] = [], authority = 'localhost') =>
  Buffer.concat([
    header(':method', method),
    header(':scheme', 'https'),
    header(':authority', authority),
    header(':path', path),
    ...more,
  ])

export interface Http2Socket {
  readonly socket: TLSSocket
  /** Everything that has come. */
  readonly frames: () => readonly Frame[]
  readonly isOpen: () => boolean
  /** Writes, and waits until it has gone, or the other side has. */
  send(bytes: Buffer): Promise<void>
  close(): Promise<void>
}

/** How many bytes of each answer the sender takes before it says more. */
export function windowOf(bytes: number): Buffer {
  const setting = Buffer.of(0, 4, 0, 0, 0, 0)
  setting.writeUInt32BE(bytes, 2)
  return frame(types.settings, 0, 0, setting)
}

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

export async function openHttp2(port: number, isRead = true, localAddress?: string): Promise<Http2Socket> {
  const from = localAddress === undefined ? {} : { localAddress }
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['h2'], ...from })
  await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const frames: Frame[] = []
  let rest: Buffer = Buffer.alloc(0)
  if (isRead) {
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
        const end = 9 + rest.readUIntBE(0, 3)
        frames.push({
          type: rest[3] ?? 0,
          flags: rest[4] ?? 0,
          stream: rest.readUInt32BE(5),
          payload: rest.subarray(9, end),
        })
        rest = rest.subarray(end)
      }
    })
  } else socket.pause()
  const opened: Http2Socket = {
    socket,
    frames: () => frames,
    isOpen: () => !socket.destroyed && socket.writable && !socket.readableEnded,
    async send(bytes) {
      if (!socket.writable) return
      await Promise.race([new Promise((resolve) => socket.write(bytes, resolve)), closed])
    },
    async close() {
      socket.destroy()
      await closed
    },
  }
  await opened.send(Buffer.concat([preface, frame(types.settings, flags.none, 0)]))
  return opened
}
