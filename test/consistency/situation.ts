// A situation that two services are put into alike: the same rows, callers with the same keys, and what each of them does,
// in rounds with some time between them.
import type { Caller } from '../model/generate-access.ts'
import type { Request } from '../model/model.ts'
import type { Database } from '../model/relations.ts'
import type { Asked } from '../support/world.ts'

// The callers' own tokens and keys differ from run to run, so a step names them by what they are.
export type Step =
  | { readonly does: 'read'; readonly request: Request; readonly acceptEncoding: string }
  // Any other request, with the token of the caller or without.
  | { readonly does: 'ask'; readonly target: string; readonly asked: Asked; readonly withToken: boolean }
  // A token request; `KEY`, `CODE` and `BASIC` stand for the caller's own. A token that is granted is used from then on.
  | { readonly does: 'sign in'; readonly asked: Asked }
  | { readonly does: 'change key'; readonly change: KeyChange }

// The likelier ones come twice.
export const keyChanges = [
  'regenerate',
  'regenerate',
  'disable',
  'enable',
  'enable',
  'one store',
  'slow',
  'fewer permissions',
  'revoke',
] as const
export type KeyChange = (typeof keyChanges)[number]

export interface Round {
  // The steps of each caller, in the order of the callers. Callers act at the same time, each one step after the other.
  readonly steps: readonly (readonly Step[])[]
  readonly isEnabled: boolean
  // What passes after it.
  readonly ms: number
}

export interface Visitor {
  readonly caller: Caller
  readonly rate: number
}

export interface Situation {
  readonly database: Database
  readonly visitors: readonly Visitor[]
  readonly rounds: readonly Round[]
}
