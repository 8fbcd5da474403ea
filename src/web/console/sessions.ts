// Signing in to the console and out of it. A session is a random cookie and a random value that its page keeps; the state knows
// their hash alone.
import { hashSecret, makeToken } from '../../auth/secrets.ts'
import { isUnwritable } from '../../keys/names.ts'
import { nameBrowser } from '../../state/sign-in-policy.ts'
import type { Password, Session, State, SignInOrigin } from '../../state/state.ts'
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
  const origin: SignInOrigin = { address: call.address, browser: textOf(body?.['browser']) ?? null }
  const seconds = await state.signInWait(origin)
  if (seconds > 0) return slowed(seconds)
  const passwordHash = await derivePassword(password, await state.findSalt(), call.address)
  const [cookie, proof, by] = [makeToken(), makeToken(), `${name}, console`]
  const sessionHash = hashSecret(credentialOf(cookie, proof))
  const outcome = await state.signIn(origin, { passwordHash, sessionHash, by })
  if (outcome.is === 'slowed') return slowed(outcome.retryAfterSeconds)
  if (outcome.is === 'refused') return refused(401, 'wrong_password')
  return { ...json({ signed_in: true, by, proof, browser: nameBrowser(passwordHash) }), cookie }
}

export async function signOut(state: State, { credential }: ConsoleCall): Promise<ConsoleAnswer> {
  if (credential !== null) await state.endSession(hashSecret(credential))
  return signedOut
}

export async function signEverybodyOut(state: State, { by }: Session): Promise<ConsoleAnswer> {
  await state.endSessions(by)
  return signedOut
}

// With the link of the first start, or by somebody who is signed in and knows the present one. Nothing is derived for a link that
// is not open, nor for somebody who has to wait.
export async function choosePassword(state: State, call: ConsoleCall, session: Session | null): Promise<ConsoleAnswer> {
  const body = await call.body()
  const [link, current, chosen] = [textOf(body?.['link']), textOf(body?.['current']), textOf(body?.['password']) ?? '']
  const faults = passwordFaults(chosen)
  if (faults.length > 0) return refusedFor(faults)
  if (link) {
    const linkHash = hashSecret(link)
    if (!(await state.isLinkOpen(linkHash))) return refused(403, 'link_used')
    const made = await makePassword(chosen, call.address)
    return (await state.useLink(linkHash, made, 'the link of the first start'))
      ? passwordIsSet(made)
      : refused(403, 'link_used')
  }
  if (!session || call.credential === null) return refused(401, 'signed_out')
  const origin: SignInOrigin = { address: call.address, sessionHash: hashSecret(call.credential) }
  const seconds = await state.signInWait(origin)
  if (seconds > 0) return slowed(seconds)
  const passwordHash = await derivePassword(current ?? '', await state.findSalt(), call.address)
  const made = await makePassword(chosen, call.address)
  const outcome = await state.changePassword(origin, { passwordHash, by: session.by }, made)
  if (outcome.is === 'slowed') return slowed(outcome.retryAfterSeconds)
  return outcome.is === 'granted' ? passwordIsSet(made) : refused(403, 'wrong_present_password')
}

const signedOut: ConsoleAnswer = { status: 204, cookie: null }

// Every session has ended; the browser is known under the new password.
const passwordIsSet = ({ hash }: Password): ConsoleAnswer => ({ ...json({ browser: nameBrowser(hash) }), cookie: null })

const slowed = (seconds: number): ConsoleAnswer =>
  refused(429, 'too_many_attempts', { seconds }, { 'Retry-After': String(seconds) })

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const nameFaults = (name: string | undefined) =>
  !name || name.length > longestName || isUnwritable(name) ? [consoleFault('who_missing', { most: longestName })] : []
