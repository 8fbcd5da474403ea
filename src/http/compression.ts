// Compresses a body if the caller accepts it and it is worth the time: bandwidth is expensive where this runs.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { acceptWeights } from './accept.ts'
import type { Reply } from './exchange.ts'

const worthItBytes = 1024
const [runBrotli, runGzip] = [promisify(brotliCompress), promisify(gzip)]
const compress = {
  br: (body: Uint8Array, quality = 4) => runBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
  gzip: (body: Uint8Array, level = 6) => runGzip(body, { level }),
}

export async function compressed(reply: Reply, acceptEncoding: string | undefined): Promise<Reply> {
  const body = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body
  if (body.byteLength <= worthItBytes) return { ...reply, body }
  const headers = { ...reply.headers, Vary: 'Accept-Encoding' }
  const coding = chooseCoding(acceptEncoding)
  if (!coding) return { ...reply, headers, body }
  const shorter = reply.isFixed ? await compressedOnce(body, coding) : await compress[coding](body)
  return { ...reply, headers: { ...headers, 'Content-Encoding': coding }, body: shorter }
}

const fixed = {
  br: new WeakMap<Uint8Array, Promise<Uint8Array>>(),
  gzip: new WeakMap<Uint8Array, Promise<Uint8Array>>(),
}

function compressedOnce(body: Uint8Array, coding: 'br' | 'gzip'): Promise<Uint8Array> {
  const known = fixed[coding].get(body)
  if (known) return known
  const shorter = compress[coding](body, 9)
  fixed[coding].set(body, shorter)
  return shorter
}

// RFC 9110, section 12.5.3. Brotli before gzip where the caller likes them equally.
export function chooseCoding(acceptEncoding: string | undefined): 'br' | 'gzip' | undefined {
  if (!acceptEncoding) return undefined
  const weights = acceptWeights(acceptEncoding)
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0
  const [br, gz, plain] = [weightOf('br'), weightOf('gzip'), weights.get('identity') ?? 0]
  if (br > 0 && br >= Math.max(gz, plain)) return 'br'
  return gz > 0 && gz >= plain ? 'gzip' : undefined
}
