// Signing in to the console and out of it. A session is a random cookie and a random value that its page keeps; the state knows
// their hash alone.
import { hashSecret, makeToken } from '../auth/secrets.ts'
import { isUnwritable } from '../keys/names.ts'
import type { Session, State } from '../state/state.ts'
import { credentialOf, json, refused, refusedFor, type ConsoleAnswer, type ConsoleCall } from './exchange.ts'
import { consoleFault } from './faults.ts'
import { derivePassword, makePassword, passwordFaults } from './password.ts'

const longestName = 60

// What the page asks by itself, again and again, is no sign that anybody is there.
export const sessionOf = (state: State, { credential, query }: ConsoleCall): Promise<Session | null> =>
  credential === null ? Promise.resolve(null) : state.findSession(hashSecret(credential), !query.has('unasked'))

export interface Api {
  readonly port: number
  readonly basePath: string
  // The file of the certificate, where the service has made it itself and callers have to be told to trust it.
  readonly authority: string | null
}

// What the page shows first: whether somebody is signed in, and whether anybody can.
export async function showSession(state: State, session: Session | null, api: Api): Promise<ConsoleAnswer> {
  const shown = {
    signed_in: session !== null,
    by: session?.by ?? null,
    has_password: (await state.findSalt()) !== null,
  }
  const { port, basePath, authority } = api
  if (!session) return json(shown)
  return json({ ...shown, enabled: await state.isEnabled(), api: { port, base_path: basePath, authority } })
}

export async function signIn(state: State, call: ConsoleCall): Promise<ConsoleAnswer> {
  const body = await call.body()
  const [password, name] = [textOf(body?.['password']), textOf(body?.['name'])?.trim()]
  const faults = [...(password ? [] : [consoleFault('password_missing')]), ...nameFaults(name)]
  if (!password || !name || faults.length > 0) return refusedFor(faults)
  const [cookie, proof] = [makeToken(), makeToken()]
  const outcome = await state.signIn({
    address: call.address,
    passwordHash: await derivePassword(password, await state.findSalt()),
    sessionHash: hashSecret(credentialOf(cookie, proof)),
    by: `${name}, console`,
  })
  switch (outcome.is) {
    case 'granted':
      return { ...json({ signed_in: true, by: `${name}, console`, proof }), cookie }
    case 'blocked':
      return wait('too_many_attempts', outcome.retryAfterSeconds)
    case 'rate limited':
      return wait('rate_limited', outcome.window.resetSeconds)
    default:
      return refused(401, 'wrong_password')
  }
}

export async function signOut(state: State, { credential }: ConsoleCall): Promise<ConsoleAnswer> {
  if (credential !== null) await state.endSession(hashSecret(credential))
  return signedOut
}

export async function signEverybodyOut(state: State, { by }: Session): Promise<ConsoleAnswer> {
  await state.endSessions(by)
  return signedOut
}

// With the link of the first start, or by somebody who is signed in and knows the present one.
export async function choosePassword(state: State, call: ConsoleCall, session: Session | null): Promise<ConsoleAnswer> {
  const body = await call.body()
  const [link, current, chosen] = [textOf(body?.['link']), textOf(body?.['current']), textOf(body?.['password']) ?? '']
  const faults = passwordFaults(chosen)
  if (faults.length > 0) return refusedFor(faults)
  if (link) {
    const isDone = await state.useLink(hashSecret(link), await makePassword(chosen), 'the link of the first start')
    return isDone ? signedOut : refused(403, 'link_used')
  }
  if (!session) return refused(401, 'signed_out')
  const outcome = await state.signIn({
    address: call.address,
    passwordHash: await derivePassword(current ?? '', await state.findSalt()),
    sessionHash: hashSecret(makeToken()),
    by: session.by,
    newPassword: await makePassword(chosen),
  })
  if (outcome.is === 'blocked') return wait('too_many_attempts', outcome.retryAfterSeconds)
  if (outcome.is === 'rate limited') return wait('rate_limited', outcome.window.resetSeconds)
  return outcome.is === 'granted' ? signedOut : refused(403, 'wrong_present_password')
}

const signedOut: ConsoleAnswer = { status: 204, cookie: null }

const wait = (code: 'too_many_attempts' | 'rate_limited', seconds: number): ConsoleAnswer =>
  refused(429, code, { seconds }, { 'Retry-After': String(seconds) })

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const nameFaults = (name: string | undefined) =>
  !name || name.length > longestName || isUnwritable(name) ? [consoleFault('who_missing', { most: longestName })] : []
