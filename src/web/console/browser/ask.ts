// Requests to the service. A refused request throws a Refusal, whose sentence is in the language of the page. If the session has
// ended, the administrator signs in again, and the request is repeated.
import { keep, readKept } from './kept.ts'
import { number, t } from './language.ts'

interface Fault {
  readonly code: string
  readonly values: Readonly<Record<string, string | number>>
  readonly sentence: string
}

export class Refusal extends Error {
  readonly status: number
  readonly faults: readonly Fault[]

  constructor(status: number, faults: readonly Fault[]) {
    super(faults.map(({ sentence }) => sentence).join(' '))
    this.status = status
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

// Another tab may have signed in or out, perhaps as another person.
addEventListener('storage', ({ key }) => {
  if (key !== kept) return
  proof = readKept(kept)
  dispatchEvent(new Event(proof === '' ? 'signed-out-elsewhere' : 'signed-in-elsewhere'))
})

const fault = (code: keyof typeof t.faults, values = {}): Fault => ({ code, values, sentence: code })

type Listener = () => void
let signInAgain: () => Promise<void> = () => Promise.resolve()
let onLost: Listener = () => {}

export function whenSignedOut(handler: () => Promise<void>) {
  signInAgain = handler
}
export function whenLost(handler: Listener) {
  onLost = handler
}

export async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await send(method, path, body)
  if (response.status === 401 && (await faultsOf(response.clone())).some(({ code }) => code === 'signed_out')) {
    await signInAgain()
    return ask(method, path, body)
  }
  if (!response.ok) throw new Refusal(response.status, await faultsOf(response))
  if (response.status === 204) return undefined as Answer
  // The answer may be cut off.
  return (await response.json().catch(() => lost(method))) as Answer
}

export const get = <Answer>(path: string): Promise<Answer> => ask('GET', path)

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
  onLost()
  throw new Refusal(0, [fault(method === 'GET' ? 'unreachable' : 'perhaps_done')])
}

async function faultsOf(response: Response): Promise<readonly Fault[]> {
  try {
    const { error } = (await response.json()) as { error: { faults: readonly Fault[] } }
    if (error.faults.length > 0) return error.faults
  } catch {
    // Not an answer of ours.
  }
  return [fault('unknown', { status: response.status })]
}

// The sentence in the language of the page; for an unknown code, the sentence of the service.
export function sentence({ code, values, sentence: asItCame }: Fault): string {
  const texts: Readonly<Record<string, (values: Fault['values']) => string>> = t.faults
  const { most, ...rest } = values
  return texts[code]?.(typeof most === 'number' ? { ...rest, most: number(most) } : values) ?? asItCame
}

export function sentencesOf(error: unknown): string[] {
  if (error instanceof Refusal) return error.faults.map(sentence)
  // A defect of the page.
  console.error(error)
  return [sentence(fault('internal_error'))]
}
