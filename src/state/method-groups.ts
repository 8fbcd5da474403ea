// The methods of the state that each store keeps together in a file of its own.
import type { State } from './state.ts'

// As a store has them: synchronous, each told the time.
export type Timed<Names extends keyof State> = {
  [Name in Names]: (now: number, ...rest: Parameters<State[Name]>) => Awaited<ReturnType<State[Name]>>
}

// Those that are about who may use the console.
export type ConsoleMethod =
  | 'findSalt'
  | 'setPassword'
  | 'offerLink'
  | 'isLinkOpen'
  | 'useLink'
  | 'signInWait'
  | 'signIn'
  | 'changePassword'
  | 'findSession'
  | 'endSession'
  | 'endSessions'

// What keys and the subscription are administered by; each store has a file for it.
export type AdministrationMethod =
  | 'createKey'
  | 'listKeys'
  | 'findKey'
  | 'listExpiries'
  | 'updateKey'
  | 'regenerateKey'
  | 'rotateKey'
  | 'finishRotation'
  | 'revokeKey'
  | 'setEnabled'
