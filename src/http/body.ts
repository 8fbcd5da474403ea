// The body of a request as text, or null when it is larger than any token request can be.
import type { Readable } from 'node:stream'

const mostBytes = 16 * 1024

export async function readBody(request: Readable): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength
    if (bytes > mostBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
