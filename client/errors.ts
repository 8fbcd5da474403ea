// Everything that can go wrong with a call, as one class: what the service said, or why it could not be asked.

export interface Fault {
  readonly parameter: string
  readonly message: string
}

export interface Refusal {
  readonly code: string
  // 0: there was no answer.
  readonly status?: number
  // One entry for each parameter that was refused.
  readonly details?: readonly Fault[]
  readonly requestId?: string | null
  // How long the service asks to wait.
  readonly retryAfterSeconds?: number | null
  readonly cause?: unknown
}

export const secondsText = (seconds: number) => `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`

export class VitrineError extends Error {
  // As the service names it (`invalid_parameter`, `insufficient_scope` …), or one of ours: `network_error` (nobody answered),
  // `timed_out`, `unexpected_answer` (somebody answered who is not this service), `invalid_address`, `invalid_cursor`.
  readonly code: string
  readonly status: number
  readonly details: readonly Fault[]
  // For whoever runs the service: it is in its log.
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
