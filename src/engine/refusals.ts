// What a reader reports of a failure → what the caller is told, and whether the database is lost.
import { ApiError } from '../errors.ts'
import { ThreadFailure } from '../platform/thread.ts'

// What has no code was refused neither by the database nor by the file system: it is a mistake of ours.
export const asRefusal = (cause: Error) =>
  cause instanceof ThreadFailure && cause.code === undefined ? cause : unavailable(1, cause)

// Refused by the file system or the network, by a server that is going away, or by SQLite for another reason than what was asked (a table
// that is gone leaves the others).
export function isLoss({ cause }: { cause?: unknown }): boolean {
  if (!(cause instanceof ThreadFailure)) return false
  // The lowest byte is the kind of error, the others tell more of it.
  if (cause.errcode !== undefined) return (cause.errcode & 0xff) !== sqliteError
  return /^(E[A-Z0-9]+|08...|57P..|53...|28...|3D...)$/.test(cause.code ?? '')
}
const sqliteError = 1

export const unavailable = (retryAfter: number, cause: unknown) =>
  new ApiError('temporarily_unavailable', { retryAfter, cause })

export const noAnswer = { message: 'a reader left an answer out', stack: undefined, code: undefined }
// SQLSTATE of a statement that took too long.
export const queryCancelled = '57014'
export const callerHungUp = 'the caller hung up'
