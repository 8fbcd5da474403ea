// Bytes written to a socket by hand, over TLS or plain, and the HTTP/1.1 answers that come back until it closes.
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { patienceMs } from './process.ts'
import type { Answer } from './process.ts'

export interface RawTarget {
  readonly port: number
  readonly isTls: boolean
  readonly localAddress?: string
}

export async function openSocket({ isTls, ...place }: RawTarget): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const options = { host: '127.0.0.1', ...place }
  const socket = isTls
    ? // The certificate is what tls.test.ts is about.
      connectTls({ ...options, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }, resolve)
    : connectPlain(options, resolve)
  socket.once('error', reject)
  await promise
  return socket
}

/** Sends the parts, each once the one before has gone, and gives the answers once the other side has closed. */
export async function exchange(target: RawTarget, ...parts: readonly string[]): Promise<Answer[]> {
  const socket = await openSocket(target)
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  // A reset after the answer does no harm; before it, the answer is missing.
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    socket.destroy()
  }, patienceMs)
  for (const part of parts) await new Promise((resolve) => socket.write(part, 'latin1', resolve))
  await closed
  clearTimeout(timer)
  if (isLate) throw new Error('the other side does not close')
  return readAnswers(Buffer.concat(received))
}

function readAnswers(bytes: Buffer): Answer[] {
  const answers: Answer[] = []
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) throw new Error(`not an answer: ${rest.toString('latin1')}`)
    const [first = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    if (!status) throw new Error(`not an answer: ${first}`)
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const body = rest.subarray(end + 4)
    // 1xx and the answers to HEAD have no body, whatever their headers say.
    const isHead = [200, 403, 405].includes(status) && body.length === 0
    const length = status < 200 || isHead ? 0 : Number(headers['content-length'] ?? body.length)
    const text = body.subarray(0, length).toString('utf8')
    if (body.length < length) throw new Error(`cut short: ${first} ${text}`)
    answers.push({ status, headers, text, body: parseJson(text) })
    rest = body.subarray(length)
  }
  return answers
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
