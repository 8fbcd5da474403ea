// Who is signed in on this page.
import { signal } from '@preact/signals'
import { get } from './ask.ts'
import type { Session } from '../answers.ts'

export const session = signal<Session>({ signed_in: false, account: null, role: null, has_password: true })

export async function readSession(): Promise<Session> {
  session.value = await get<Session>('/api/session')
  return session.value
}

// A viewer sees everything and changes nothing.
export const mayChange = () => session.value.role === 'administrator'

// All sessions were ended, or the password was changed: the page goes back to sign-in.
export const signedOut = (said: string) => dispatchEvent(new CustomEvent('signed-out', { detail: said }))
