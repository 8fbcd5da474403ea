// The error of every failed call: the service's refusal, or the reason why there was no answer.

export interface Fault {
  readonly parameter: string
  readonly message: string
}

export interface Refusal {
  readonly code: string
  // 0: there was no answer.
  readonly status?: number
  // One entry for each invalid parameter.
  readonly details?: readonly Fault[]
  readonly requestId?: string | null
  readonly retryAfterSeconds?: number | null
  readonly cause?: unknown
}

export const secondsText = (seconds: number) => `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`

export class VitrineError extends Error {
  // A code of the service (`invalid_parameter`, `insufficient_scope` …), or of the client: `network_error`, `timed_out`,
  // `unexpected_answer` (from a server that is not this service), `invalid_address`.
  readonly code: string
  readonly status: number
  readonly details: readonly Fault[]
  // Names the request in the log of the service.
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null

  constructor(message: string, refusal: Refusal) {
    super(message, refusal.cause === undefined ? {} : { cause: refusal.cause })
    this.name = 'VitrineError'
    this.code = refusal.code
    this.status = refusal.status ?? 0
    this.details = refusal.details ?? []
    this.requestId = refusal.requestId ?? null
    this.retryAfterSeconds = refusal.retryAfterSeconds ?? null
  }
}

// The answer of a server that is not this service.
export const unexpectedAnswer = (message: string, given: Pick<Refusal, 'status' | 'cause'> = { status: 200 }) =>
  new VitrineError(message, { code: 'unexpected_answer', ...given })

export const holdsNo = (what: string) => unexpectedAnswer(`The answer holds no ${what}: it is not from this service.`)

// A SyntaxError if the text is not JSON.
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return error
  }
}
