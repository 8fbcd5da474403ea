// Who is signed in on this page.
import type { Session } from './data.ts'

let current: Session = { signed_in: false, by: null, has_password: true }

export const session = () => current
export function setSession(next: Session) {
  current = next
}

// Without where it was done.
export const nameOf = (by: string | null) => (by ?? '').replace(/, console$/, '')

// Everywhere, or because the password was changed: the page goes back to signing in.
export const signedOut = (said: string) => dispatchEvent(new CustomEvent('signed-out', { detail: said }))
