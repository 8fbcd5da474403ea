// Requests to the service, and the session that they belong to. A refused request throws a Refusal, whose sentence is in the language
// of the page. If the session has ended, the administrator signs in again, and the request is repeated.
import { signal } from '@preact/signals'
import type { InputFault } from '../../../keys/faults.ts'
import type { CatalogueWords, Session } from '../answers.ts'
import { keep, readKept } from '../../page/browser/kept.ts'
import { counted, fill, number, t } from './language.ts'

export type Fault = InputFault

export class Refusal extends Error {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    super(faults.map(({ sentence }) => sentence).join(' '))
    this.faults = faults
  }
}

const patienceMs = 30_000

// A session needs this value and the cookie. Without local storage, a session ends with its page.
const kept = 'session'
let proof = readKept(kept)

export function keepProof(next: string): void {
  proof = next
  keep(kept, next)
}

export const session = signal<Session>({ signed_in: false, account: null, role: null, has_password: true })

const noWords: CatalogueWords = { permissions: [], resources: [], presets: [] }
export const words = () => session.value.words ?? noWords

export async function readSession(): Promise<Session> {
  session.value = await get<Session>('/api/session')
  return session.value
}

// The address of the service, as far as this page knows it: its own host.
export const serviceAddress = () => `https://${location.hostname}:${session.value.api?.port ?? 443}`
export const docsAddress = () => `${session.value.api?.public_url ?? serviceAddress()}/docs`

// A viewer sees everything and changes nothing.
export const mayChange = () => session.value.role === 'administrator'

// Goes back to the sign-in page, which shows `said`.
export const signedOut = (said: string) => dispatchEvent(new CustomEvent('signed-out', { detail: said }))

// Another tab may have signed in or out, perhaps as another person.
addEventListener('storage', ({ key }) => {
  if (key !== kept) return
  proof = readKept(kept)
  if (proof === '') signedOut(t.signIn.signedOut)
  else signingInAgain.peek()?.done()
})

const fault = (code: string, values = {}): Fault => ({ code, field: '', values, sentence: code })

// The sign-in dialog over the current view; null: it is closed. All requests that were refused meanwhile wait for it.
export const signingInAgain = signal<{ done: () => void; cancel: () => void } | null>(null)
let signedInAgain: Promise<void> | undefined

function signInAgain(): Promise<void> {
  signedInAgain ??= waitForSignIn().finally(() => {
    signingInAgain.value = null
    signedInAgain = undefined
  })
  return signedInAgain
}

async function waitForSignIn(): Promise<void> {
  const { has_password: hasPassword } = await get<Session>('/api/session')
  const signedOutMeanwhile = new Refusal([])
  if (!session.value.signed_in) throw signedOutMeanwhile
  // Without an account, sign-in is impossible: reload the page.
  if (!hasPassword) location.reload()
  await new Promise<void>((resolve, reject) => {
    signingInAgain.value = { done: resolve, cancel: () => reject(signedOutMeanwhile) }
  })
  // Another person may have signed in.
  await readSession()
}

// While the service cannot be reached, the page asks every two seconds whether it is back. Input is kept.
export const isLost = signal(false)
const retryEveryMs = 2000

function waitForService() {
  if (isLost.peek()) return
  isLost.value = true
  const retry = async () => {
    const isThere = await fetch('/api/session', { cache: 'no-store' }).catch(() => undefined)
    if (!isThere || !isLost.peek()) return
    clearInterval(timer)
    isLost.value = false
    dispatchEvent(new Event('service-back'))
  }
  const timer = setInterval(() => void retry(), retryEveryMs)
}

async function answered(method: string, path: string, body?: object): Promise<Response> {
  const response = await send(method, path, body)
  if (response.ok) return response
  const faults = await faultsOf(response)
  if (!faults.some(({ code }) => code === 'signed_out')) throw new Refusal(faults)
  await signInAgain()
  return answered(method, path, body)
}

export async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await answered(method, path, body)
  if (response.status === 204) return undefined as Answer
  // The connection may end before the whole answer has arrived.
  return (await response.json().catch(() => lost(method))) as Answer
}

// A refresh by the page itself (`isUnasked`) does not keep a session alive.
export const get = <Answer>(path: string, isUnasked = false): Promise<Answer> =>
  ask('GET', isUnasked ? `${path}?unasked` : path)

// Saves an answer as a file, by the name that the service gives it: a link could not send the session's header.
export async function download(path: string): Promise<void> {
  const response = await answered('GET', path)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? ''
  link.click()
  // The browser has saved the file by then.
  setTimeout(() => URL.revokeObjectURL(link.href), patienceMs)
}

async function send(method: string, path: string, body: object | undefined): Promise<Response> {
  try {
    return await fetch(path, {
      method,
      cache: 'no-store',
      credentials: 'same-origin',
      redirect: 'error',
      signal: AbortSignal.timeout(patienceMs),
      headers: { 'X-Vitrine-Session': proof, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  } catch {
    return lost(method)
  }
}

function lost(method: string): never {
  waitForService()
  throw new Refusal([fault(method === 'GET' ? 'unreachable' : 'perhaps_done')])
}

async function faultsOf(response: Response): Promise<readonly Fault[]> {
  // The answer may come from a proxy.
  const answer = (await response.json().catch(() => null)) as { error?: { faults?: readonly Fault[] } } | null
  const faults = answer?.error?.faults ?? []
  return faults.length > 0 ? faults : [fault('unknown', { status: response.status })]
}

// In the language of the page; without a text for the code, the sentence that the service sent.
export function sentence({ code, values, sentence: sent }: Fault): string {
  const text = t.faults[code]
  const { most, seconds } = values
  return text === undefined
    ? sent
    : fill(text, {
        ...values,
        ...(typeof most === 'number' ? { most: number(most) } : {}),
        ...(typeof seconds === 'number' ? { wait: counted(t.page.wait, seconds) } : {}),
      })
}

export function faultsIn(error: unknown): readonly Fault[] {
  if (error === undefined) return []
  if (error instanceof Refusal) return error.faults
  // A defect of the page.
  console.error(error)
  return [fault('internal_error')]
}

export const sentencesOf = (error: unknown): string[] => faultsIn(error).map(sentence)
