// Who is signed in on this page.
import type { Session } from './data.ts'

let current: Session = { signed_in: false, by: null, account: null, role: null, has_password: true }

export const session = () => current
export function setSession(next: Session) {
  current = next
}

// The name without the suffix ", console".
export const nameOf = (by: string | null) => (by ?? '').replace(/, console$/, '')

// All sessions were ended, or the password was changed: the page goes back to sign-in.
export const signedOut = (said: string) => dispatchEvent(new CustomEvent('signed-out', { detail: said }))
