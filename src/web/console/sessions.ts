// Sign-in, sign-out and passwords of the console. A session is a random cookie and a random value that the page keeps; the state
// stores only a hash of both.
import { hashSecret, makeToken } from '../../auth/secrets.ts'
import { nameBrowser } from '../../state/sign-in-policy.ts'
import type { Password, SignInOrigin } from '../../state/console-access.ts'
import { longestName, nameFaults } from './accounts.ts'
import { permissionWords, presets } from '../../catalogue/permissions.ts'
import { resources } from '../../catalogue/resources/index.ts'
import type { CatalogueWords, Session } from './answers.ts'
import type { Call, Reply } from '../../http/exchange.ts'
import { credentialOf, json, readObject, refused, refusedFor, cookieOf, textOf } from './exchange.ts'
import { consoleFault } from './faults.ts'
import { derivePassword, makePassword, passwordFaults } from './password.ts'
import type { OpenRoute, Route } from './request.ts'

const words: CatalogueWords = {
  permissions: permissionWords,
  resources: resources.map(({ name, names }) => ({ name, names })),
  presets,
}

// The first request of the page.
export const showSession: OpenRoute = async ({ state, api }, { session }) => {
  const status = {
    signed_in: session !== null,
    account: session?.account ?? null,
    role: session?.role ?? null,
    has_password: (await state.listAccounts()).length > 0,
  }
  if (!session) return json(status satisfies Session)
  const { port, basePath, authority, publicUrl } = api
  return json({
    ...status,
    enabled: await state.isEnabled(),
    words,
    api: { port, base_path: basePath, authority, public_url: publicUrl },
  } satisfies Session)
}

export const signIn: OpenRoute = async ({ state }, { call }) => {
  const body = await readObject(call)
  const [password, name] = [textOf(body?.['password']), textOf(body?.['name'])?.trim()]
  const faults = [
    ...(password ? [] : [consoleFault('password.missing')]),
    ...(name && nameFaults(name).length === 0 ? [] : [consoleFault('name.person_missing', { most: longestName })]),
  ]
  if (!password || !name || faults.length > 0) return refusedFor(faults)
  const origin: SignInOrigin = { address: call.address, account: name, browser: textOf(body?.['browser']) ?? null }
  const seconds = await state.signInWait(origin)
  if (seconds > 0) return slowed(seconds)
  const passwordHash = await derivePassword(password, await state.findSalt(name), call.address)
  const [cookie, proof] = [makeToken(), makeToken()]
  const sessionHash = hashSecret(credentialOf(cookie, proof))
  const outcome = await state.signIn(origin, { passwordHash, sessionHash })
  if (outcome.is === 'slowed') return slowed(outcome.retryAfterSeconds)
  if (outcome.is !== 'granted') return refused(401, 'password.wrong')
  return json({ proof, browser: nameBrowser(passwordHash) }, 200, cookieOf(call, cookie))
}

export const signOut: OpenRoute = async ({ state }, { call, credential }) => {
  if (credential !== null) await state.endSession(hashSecret(credential))
  return signedOut(call)
}

export const signEverybodyOut: Route = async ({ state }, { call, session }) => {
  await state.endSessions(session.by)
  return signedOut(call)
}

// Makes the first account with the link of the first start, or changes one's own password in a session. No hash is derived for an
// invalid link or during a wait.
export const choosePassword: OpenRoute = async ({ state }, { call, credential, session }) => {
  const body = await readObject(call)
  const [link, current, chosen] = [textOf(body?.['link']), textOf(body?.['current']), textOf(body?.['password']) ?? '']
  const name = textOf(body?.['name'])?.trim() ?? ''
  const faults = [...(link ? nameFaults(name) : []), ...passwordFaults(chosen, textOf(body?.['repeat']))]
  if (faults.length > 0) return refusedFor(faults)
  if (link) {
    const linkHash = hashSecret(link)
    if (!(await state.isLinkOpen(linkHash))) return refused(403, 'link_used')
    const made = await makePassword(chosen, call.address)
    return (await state.useLink(linkHash, name, made, 'the link of the first start'))
      ? passwordIsSet(call, made)
      : refused(403, 'link_used')
  }
  if (!session || credential === null) return refused(401, 'signed_out')
  const { account } = session
  const origin: SignInOrigin = { address: call.address, account, sessionHash: hashSecret(credential) }
  const seconds = await state.signInWait(origin)
  if (seconds > 0) return slowed(seconds)
  const passwordHash = await derivePassword(current ?? '', await state.findSalt(account), call.address)
  const made = await makePassword(chosen, call.address)
  const outcome = await state.changePassword(origin, passwordHash, made)
  if (outcome.is === 'slowed') return slowed(outcome.retryAfterSeconds)
  return outcome.is === 'granted' ? passwordIsSet(call, made) : refused(403, 'current.wrong')
}

const signedOut = (call: Call): Reply => ({ status: 204, headers: cookieOf(call, null), body: '' })

// Every session of the account has ended; the browser gets a name that the new password signs.
const passwordIsSet = (call: Call, { hash }: Password): Reply =>
  json({ browser: nameBrowser(hash) }, 200, cookieOf(call, null))

const slowed = (seconds: number): Reply =>
  refused(429, 'password.too_many_attempts', { seconds }, { 'Retry-After': String(seconds) })
