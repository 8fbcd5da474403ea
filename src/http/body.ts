// Reads the body of a request as text; null if it is too large, incomplete or too slow.
import type { Readable } from 'node:stream'

const usualBytes = 16 * 1024
// With HTTP/1.1 a body that is too large is read on and dropped, because a sender that is cut off reads no answer. HTTP/2 can tell
// a sender to stop.
const mostDroppedBytes = 8 * 1024 * 1024
// Longer than the requestTimeout of HTTP/1.1; HTTP/2 has none.
const mostMs = 35_000

export function readBody(request: Readable, isHttp1: boolean, mostBytes = usualBytes): Promise<string | null> {
  const most = isHttp1 ? mostDroppedBytes : mostBytes
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const timer = setTimeout(() => request.destroy(), mostMs)
    const finish = (body: string | null) => {
      clearTimeout(timer)
      resolve(body)
    }
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength
      if (bytes <= mostBytes) chunks.push(chunk)
      if (bytes > most) finish(null)
    })
    request.on('end', () => finish(bytes > mostBytes ? null : Buffer.concat(chunks).toString('utf8')))
    request.on('close', () => finish(null))
    request.on('error', () => finish(null))
  })
}
