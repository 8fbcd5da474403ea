// The usage of keys: what is counted of each answer. The console's page uses it, too: it holds no SQL.

// Why a request was refused.
export const causes = ['rate_limited', 'not_allowed', 'bad_request', 'not_found', 'server_error'] as const
export type Cause = (typeof causes)[number]
type Outcome = 'answered' | Cause

export function outcomeOf(status: number): Outcome {
  if (status === 200) return 'answered'
  if (status === 429) return 'rate_limited'
  if (status === 401 || status === 403) return 'not_allowed'
  if (status === 404) return 'not_found'
  return status >= 500 ? 'server_error' : 'bad_request'
}

export interface UsageDimensions {
  // The beginning of an hour.
  readonly hour: number
  readonly accessKey: string
  // A resource of the catalogue, `changes`, or `other`.
  readonly resource: string
}
export type UsageDimension = keyof UsageDimensions

// The answers to one key in one hour about one resource that ended alike.
export interface Usage extends UsageDimensions {
  readonly outcome: Outcome
  readonly requests: number
  readonly records: number
}

export interface UsageRange {
  // Inclusive.
  readonly from: number
  // Exclusive.
  readonly to: number
  // null or absent: all of them.
  readonly accessKey?: string | null
  readonly resource?: string | null
  // The most rows.
  readonly limit?: number
}

export interface UsageSum {
  // Refused ones included.
  readonly requests: number
  readonly records: number
  readonly refusals: Readonly<Record<Cause, number>>
}

export type UsageBy<By extends UsageDimension> = Pick<UsageDimensions, By> & UsageSum

export const countRefusals = ({ refusals }: Pick<UsageSum, 'refusals'>): number =>
  causes.reduce((sum, cause) => sum + refusals[cause], 0)
