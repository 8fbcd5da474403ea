// The methods of the state that each store keeps together in a file of its own.

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
