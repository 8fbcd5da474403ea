// One request to the service, with a timeout: returns the JSON body or throws a VitrineError.
import { parseJson, secondsText, unexpectedAnswer, VitrineError, type Fault } from './errors.ts'

export interface Answer {
  readonly body: unknown
  readonly headers: Headers
}

export interface Connection {
  // `https://shop.example/api/v1`
  readonly url: string
  readonly fetch: typeof fetch
  // For one request, without the pauses between requests.
  readonly timeoutMs: number
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal | undefined
}

export async function ask(connection: Connection, path: string, options: RequestOptions = {}): Promise<Answer> {
  const timeout = AbortSignal.timeout(connection.timeoutMs)
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
  const { method = 'GET', headers = {}, body } = options
  try {
    const response = await connection.fetch(connection.url + path, {
      method,
      headers,
      signal,
      // A redirect would send the token to another server.
      redirect: 'error',
      ...(body === undefined ? {} : { body }),
    })
    const answered = parseJson(await response.text())
    if (!response.ok) throw refusal(answered, response)
    if (!(answered instanceof SyntaxError)) return { body: answered, headers: response.headers }
    const { host } = new URL(connection.url)
    throw unexpectedAnswer(`${host} answered with something that is not JSON.`, {
      status: response.status,
      cause: answered,
    })
  } catch (error) {
    if (error instanceof VitrineError) throw error
    // An abort throws the caller's own reason.
    options.signal?.throwIfAborted()
    throw unanswered(error, connection, timeout.aborted)
  }
}

interface ErrorBody {
  readonly error?: string | { readonly code?: string; readonly message?: string; readonly details?: readonly Fault[] }
  readonly error_description?: string
}

// Reads both error formats: of `/auth/token` and of all other routes. A proxy's error may be no JSON, or look like ours.
function refusal(body: unknown, { status, headers }: Response): VitrineError {
  const { error, error_description: description } = (body ?? {}) as ErrorBody
  const { code, message, details } =
    typeof error === 'string' ? { code: error, message: description, details: [] } : (error ?? {})
  const faults: readonly Fault[] = Array.isArray(details) ? details : []
  const listed = faults.map((fault) => `${fault.parameter}: ${fault.message}`)
  const said = [message ?? `The answer was ${status}.`, ...listed].join(' ')
  return new VitrineError(said, {
    code: code ?? 'unexpected_answer',
    status,
    details: faults,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: secondsIn(headers.get('retry-after'), headers.get('date')),
  })
}

// Seconds, or a date, as a proxy may send it: compared with the date of the answer, because the clock here may differ.
function secondsIn(text: string | null, answered: string | null): number | null {
  if (text === null) return null
  if (/^[\d.]+$/.test(text)) return Number(text)
  const seconds = (Date.parse(text) - (answered === null ? Date.now() : Date.parse(answered))) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null
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

// `fetch` only says "fetch failed"; its cause has the reason.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  // After the semicolon, Node gives advice about Node.
  return error.cause === undefined ? (error.message.split(';')[0] ?? '') : reasonOf(error.cause)
}
