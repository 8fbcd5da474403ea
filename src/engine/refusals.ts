// The failure of a reader → the refusal that the caller gets, and whether the database is lost.
import { ApiError } from '../errors.ts'
import { ThreadFailure } from '../platform/thread.ts'

// SQLSTATE of a statement that took too long.
export const queryCancelled = '57014'
export const callerHungUp = 'the caller hung up'
export const tookTooLong = 'the statement timeout passed'

export const unavailable = (retryAfter: number, cause: unknown) =>
  new ApiError('temporarily_unavailable', { retryAfter, cause })

// A failure without a code comes neither from the database nor from the file system: it is a defect of ours.
export const asRefusal = (cause: Error) =>
  cause instanceof ThreadFailure && cause.code === undefined ? cause : unavailable(1, cause)

// Whether the database is lost: refused by the file system or the network, by a server that is going away, or by SQLite for another
// reason than the statement. (If one table is missing, the others can be read.)
export function isLoss({ cause }: { cause?: unknown }): boolean {
  if (!(cause instanceof ThreadFailure)) return false
  // The lowest byte of SQLite's number is the kind of error; SQLITE_ERROR is 1.
  if (cause.errcode !== undefined) return (cause.errcode & 0xff) !== 1
  return /^(E[A-Z0-9]+|08...|57P..|53...|28...|3D...)$/.test(cause.code ?? '')
}
