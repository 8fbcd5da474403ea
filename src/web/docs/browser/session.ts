// The session of this page: a token in memory, and nowhere else.
import type { Texts } from './texts-en.ts'

export interface TokenSession {
  readonly token: string
  readonly client: string
}

let current: TokenSession | undefined
const listeners: ((session: TokenSession | undefined) => void)[] = []

export const session = () => current
export const onSession = (listener: (session: TokenSession | undefined) => void) => listeners.push(listener)

function setSession(next: TokenSession | undefined) {
  current = next
  for (const listener of listeners) listener(next)
}

export const signOut = () => setSession(undefined)

const privateRequest = { cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' } as const

export const ask = (path: string, token?: string, signal?: AbortSignal): Promise<Response> =>
  fetch(path, {
    ...privateRequest,
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    ...(signal ? { signal } : {}),
  })

// Returns undefined, or a sentence that says why sign-in failed.
export async function signIn(
  basePath: string,
  accessKey: string,
  securityCode: string,
  signal: AbortSignal,
  t: Texts,
): Promise<string | undefined> {
  try {
    const answer = await fetch(`${basePath}/auth/token`, {
      ...privateRequest,
      method: 'POST',
      signal,
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: accessKey,
        client_secret: securityCode,
      }),
    })
    const body = (await answer.json()) as { access_token?: string; error?: string; error_description?: string }
    if (!answer.ok || body.access_token === undefined)
      return refusal(body.error ?? '', Number(answer.headers.get('Retry-After')), body.error_description ?? '', t)
    const ping = await ask(`${basePath}/ping`, body.access_token, signal)
    const { client = t.thisKey } = ping.ok ? ((await ping.json()) as { client?: string }) : {}
    setSession({ token: body.access_token, client })
    return undefined
  } catch {
    return t.unreachable
  }
}

function refusal(code: string, seconds: number, otherwise: string, t: Texts): string {
  const wait = seconds > 90 ? t.minutes(Math.ceil(seconds / 60)) : t.seconds(seconds)
  return t.refused[code]?.(wait) ?? t.refusedOtherwise(otherwise)
}
