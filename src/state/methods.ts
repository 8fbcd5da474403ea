// One line for each method of the state: how long it may take, its transaction, and what its outcome shows of the state's health
// (watched.ts).
import type { SignInOutcome } from './console-access.ts'
import type { State, TokenOutcome } from './state.ts'
import type { Moment, Steps } from './steps.ts'

// The methods that a store answers.
export type StoreMethod = Exclude<keyof State, 'lastKnownEnabled' | 'close'>

export type Operations<Names extends StoreMethod> = {
  [Name in Names]: (now: Moment, ...rest: Parameters<State[Name]>) => Steps<Awaited<ReturnType<State[Name]>>>
}

export interface MethodRules {
  // 'in time': fails when it is late. 'to the end': a late change takes effect all the same, so it must not be reported as
  // failed. 'as report': may read much, so it has a thread or a connection of its own.
  readonly runs: 'in time' | 'to the end' | 'as report'
  // 'durable': on the disk when it returns. 'locking': durable, and on PostgreSQL it may wait for other token requests or sign-ins,
  // so it does not take a connection that every request needs.
  readonly transaction?: 'plain' | 'durable' | 'locking'
  // A failure shows that the state cannot be read, or written; an answer that is a proof shows that it can.
  readonly shows?: 'read' | 'write'
  readonly isProof?: (answer: unknown) => boolean
}

const quick: MethodRules = { runs: 'in time' }
const report: MethodRules = { runs: 'as report' }
const read: MethodRules = { runs: 'in time', shows: 'read' }
const change = (
  isProof: (answer: unknown) => boolean,
  transaction: MethodRules['transaction'] = 'durable',
): MethodRules => ({ runs: 'to the end', transaction, shows: 'write', isProof })

const always = () => true
const never = () => false
const hasChanged = (answer: unknown) =>
  answer !== null && answer !== 0 && answer !== false && typeof answer !== 'string'
// Other outcomes write little or nothing.
const isChecked = (answer: unknown) => ['granted', 'refused'].includes((answer as TokenOutcome | SignInOutcome).is)
const attempt: MethodRules = { runs: 'in time', transaction: 'plain', shows: 'write', isProof: isChecked }

export const stateMethods: Readonly<Record<StoreMethod, MethodRules>> = {
  tokenKey: quick,
  admit: read,
  requestToken: attempt,
  revokeToken: attempt,
  tokenWindow: quick,
  isEnabled: read,
  listBlocks: quick,
  clearBlocks: change(hasChanged, 'locking'),

  listKeys: report,
  findKey: quick,
  listExpiries: quick,
  createKey: change(always),
  updateKey: change(hasChanged, 'locking'),
  regenerateKey: change(hasChanged, 'locking'),
  rotateKey: change(hasChanged),
  finishRotation: change(hasChanged),
  revokeKey: change(hasChanged),
  setEnabled: change(never),

  listAccounts: quick,
  findSalt: quick,
  createAccount: change(hasChanged, 'locking'),
  updateAccount: change(hasChanged, 'locking'),
  removeAccount: change(hasChanged, 'locking'),
  offerLink: { runs: 'in time', transaction: 'durable' },
  isLinkOpen: quick,
  useLink: change(hasChanged, 'locking'),
  signInWait: quick,
  signIn: { ...attempt, transaction: 'locking' },
  changePassword: change(isChecked, 'locking'),
  findSession: quick,
  endSession: change(never, 'plain'),
  endSessions: change(always),

  listAudit: report,
  listActors: report,
  listSubjects: report,
  addUsage: change(always, 'plain'),
  sumUsage: report,
  listLastUse: report,
}
