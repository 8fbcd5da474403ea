// One request to the service: it has a time limit, can be aborted, and ends in a JSON body or in a VitrineError.
import { secondsText, VitrineError, type Fault } from './errors.ts'

export interface Answer {
  readonly body: unknown
  readonly headers: Headers
}

export interface Connection {
  // `https://shop.example/api/v1`
  readonly url: string
  readonly fetch: typeof fetch
  // For one request, not counting the time that is waited between two.
  readonly timeoutMs: number
}

export interface Asked {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal | undefined
}

export async function ask(connection: Connection, path: string, asked: Asked = {}): Promise<Answer> {
  const timeout = AbortSignal.timeout(connection.timeoutMs)
  const signal = asked.signal ? AbortSignal.any([asked.signal, timeout]) : timeout
  const { method = 'GET', headers = {}, body } = asked
  try {
    const response = await connection.fetch(connection.url + path, {
      method,
      headers,
      signal,
      // A redirect would carry the token to somebody else.
      redirect: 'error',
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    if (response.ok) return { body: readJson(text, connection, response.status), headers: response.headers }
    throw refusal(text, response)
  } catch (error) {
    if (error instanceof VitrineError) throw error
    // What the caller aborted is the caller's own reason.
    asked.signal?.throwIfAborted()
    throw unanswered(error, connection, timeout.aborted)
  }
}

function readJson(text: string, { url }: Connection, status: number): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new VitrineError(`${new URL(url).host} answered with something that is not JSON.`, {
      code: 'unexpected_answer',
      status,
      cause,
    })
  }
}

interface ErrorBody {
  readonly error?: string | { readonly code?: string; readonly message?: string; readonly details?: readonly Fault[] }
  readonly error_description?: string
}

// Both formats: that of `/auth/token` and that of all other routes.
function refusal(text: string, response: Response): VitrineError {
  const { status, headers } = response
  const { error, error_description: description } = readErrorBody(text)
  const { code, message, details } =
    typeof error === 'string' ? { code: error, message: description, details: [] } : (error ?? {})
  // Somebody else's error may look like ours.
  const faults: readonly Fault[] = Array.isArray(details) ? details : []
  const listed = faults.map((fault) => `${fault.parameter}: ${fault.message}`)
  const said = [message ?? `The answer was ${status}.`, ...listed].join(' ')
  return new VitrineError(said, {
    code: code ?? 'unexpected_answer',
    status,
    details: faults,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: secondsIn(headers.get('retry-after')),
  })
}

// A proxy may name a date instead, of a clock that nobody knows.
const secondsIn = (text: string | null) => (text !== null && /^[\d.]+$/.test(text) ? Number(text) : null)

function readErrorBody(text: string): ErrorBody {
  try {
    return (JSON.parse(text) ?? {}) as ErrorBody
  } catch {
    // A proxy in between, say.
    return {}
  }
}

function unanswered(cause: unknown, { url, timeoutMs }: Connection, isLate: boolean): VitrineError {
  const { host } = new URL(url)
  if (isLate)
    return new VitrineError(`${host} did not answer within ${secondsText(timeoutMs / 1000)}.`, {
      code: 'timed_out',
      cause,
    })
  return new VitrineError(`${host} could not be reached: ${reasonOf(cause).replace(/[.?!]$/, '')}.`, {
    code: 'network_error',
    cause,
  })
}

// `fetch` says no more than "fetch failed"; why is behind it.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  // Node goes on with advice that is about Node.
  return error.cause === undefined ? (error.message.split(';')[0] ?? '') : reasonOf(error.cause)
}
