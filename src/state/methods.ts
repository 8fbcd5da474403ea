// One line for each method of the state: how the SQLite store's threads run it (sqlite/state.ts), and what its outcome shows of
// the state's health (watched.ts).
import type { SignInOutcome } from './console-access.ts'
import type { State, TokenOutcome } from './state.ts'

// The methods that a store answers.
export type StoreMethod = Exclude<keyof State, 'lastKnownEnabled' | 'close'>

// The same methods in a synchronous store, which is told the time.
export type Timed<Names extends keyof State> = {
  [Name in Names]: (now: number, ...rest: Parameters<State[Name]>) => Awaited<ReturnType<State[Name]>>
}

interface MethodRules {
  // 'in time': fails when it is late. 'to the end': a late change takes effect all the same, so it must not be reported as
  // failed. 'as report': may read much, so a thread of its own runs it.
  readonly runs: 'in time' | 'to the end' | 'as report'
  // A failure shows that the state cannot be read, or written; an answer that is a proof shows that it can.
  readonly shows?: 'read' | 'write'
  readonly isProof?: (answer: unknown) => boolean
}

const quick: MethodRules = { runs: 'in time' }
const report: MethodRules = { runs: 'as report' }
const read: MethodRules = { runs: 'in time', shows: 'read' }
const change = (isProof: (answer: unknown) => boolean): MethodRules => ({ runs: 'to the end', shows: 'write', isProof })

const always = () => true
const never = () => false
const hasChanged = (answer: unknown) =>
  answer !== null && answer !== 0 && answer !== false && typeof answer !== 'string'
// Other outcomes write little or nothing.
const isChecked = (answer: unknown) => ['granted', 'refused'].includes((answer as TokenOutcome | SignInOutcome).is)
const attempt: MethodRules = { runs: 'in time', shows: 'write', isProof: isChecked }

export const stateMethods: Readonly<Record<StoreMethod, MethodRules>> = {
  tokenKey: quick,
  admit: read,
  requestToken: attempt,
  revokeToken: attempt,
  tokenWindow: quick,
  isEnabled: read,
  listBlocks: quick,
  clearBlocks: change(hasChanged),

  listKeys: report,
  findKey: quick,
  listExpiries: quick,
  createKey: change(always),
  updateKey: change(hasChanged),
  regenerateKey: change(hasChanged),
  rotateKey: change(hasChanged),
  finishRotation: change(hasChanged),
  revokeKey: change(hasChanged),
  setEnabled: change(never),

  listAccounts: quick,
  findSalt: quick,
  createAccount: change(hasChanged),
  updateAccount: change(hasChanged),
  removeAccount: change(hasChanged),
  offerLink: quick,
  isLinkOpen: quick,
  useLink: change(hasChanged),
  signInWait: quick,
  signIn: attempt,
  changePassword: change(isChecked),
  findSession: quick,
  endSession: change(never),
  endSessions: change(always),

  listAudit: report,
  listActors: report,
  addUsage: change(always),
  sumUsage: report,
  listLastUse: report,
}
