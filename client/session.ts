// Calls with a token, which is requested once and used until it is refused or revoked. Waits when the service asks for it.
import { ask, type Answer, type Connection } from './ask.ts'
import { unexpectedAnswer, VitrineError } from './errors.ts'
import { unlessAborted, wait } from './wait.ts'

export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
  // Fewer permissions than the key has.
  readonly scope?: readonly string[]
}

export interface Patience {
  // How long one call may wait in total before its refusal is thrown.
  readonly patienceMs: number
  readonly onWait?: ((wait: { readonly seconds: number; readonly code: string }) => void) | undefined
}

export interface Session {
  readonly get: (path: string, signal?: AbortSignal) => Promise<Answer>
  // Revokes the token, if there is one; the next call requests another.
  readonly signOff: (signal?: AbortSignal) => Promise<void>
}

export function openSession(connection: Connection, credentials: Credentials, patience: Patience): Session {
  let token: Promise<string> | undefined
  let refused = ''
  // The end of the key's rate window, once it is used up.
  let fullUntilMs = 0

  // Simultaneous calls share one token request; aborting one call does not cancel it for the others.
  async function currentToken(signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted()
    if (!token) {
      const asked = requestToken(connection, credentials)
      token = asked
      asked.catch(() => {
        if (token === asked) token = undefined
      })
    }
    return await unlessAborted(token, signal)
  }

  async function send(path: string, bearer: string, pause: Pause, signal?: AbortSignal): Promise<Answer> {
    const pauseMs = fullUntilMs - Date.now()
    if (pauseMs > 0) await pause(pauseMs, 'rate_limited')
    const answer = await ask(connection, path, { headers: { authorization: `Bearer ${bearer}` }, signal })
    if (answer.headers.get('x-ratelimit-remaining') === '0')
      fullUntilMs = Date.now() + Number(answer.headers.get('x-ratelimit-reset')) * 1000
    return answer
  }

  const get: Session['get'] = (path, signal) =>
    patiently(
      async (pause) => {
        const first = await currentToken(signal)
        try {
          return await send(path, first, pause, signal)
        } catch (error) {
          if (!(error instanceof VitrineError) || error.code !== 'invalid_token') throw error
          // Expired or revoked: retry once with a new token, which another call may have requested already.
          if (refused !== first) token = undefined
          refused = first
          return await send(path, await currentToken(signal), pause, signal)
        }
      },
      patience,
      signal,
    )

  return {
    get,
    // Does not wait or retry: a token that is not revoked expires.
    async signOff(signal) {
      const ending = token
      token = undefined
      // A failed sign-in left no token.
      const current = ending && (await unlessAborted(ending, signal).catch(() => undefined))
      signal?.throwIfAborted()
      if (current !== undefined) await postForm(connection, '/auth/revoke', credentials, { token: current }, signal)
    },
  }
}

// Waits, or returns false at once if that would exceed `patienceMs`.
type Pause = (pauseMs: number, code: string) => Promise<boolean>

// Failures that pass without Retry-After: a broken connection, a service that restarts behind a proxy.
export const isPassing = ({ status, code }: VitrineError) =>
  code === 'network_error' || code === 'timed_out' || [500, 502, 503, 504].includes(status)

const firstPauseMs = 1000
const longestPauseMs = 30_000
// Of failures without Retry-After: for a minute and a half.
const mostRetries = 7

// Retries while the service sends Retry-After and the patience lasts. What `isRetried` names is retried without it, too, after pauses
// that double.
export async function patiently<Result>(
  attempt: (pause: Pause) => Promise<Result>,
  { patienceMs, onWait }: Patience,
  signal?: AbortSignal,
  isRetried: (error: VitrineError) => boolean = () => false,
): Promise<Result> {
  let leftMs = patienceMs
  let pauseMs = firstPauseMs
  let retries = 0
  const pause: Pause = async (pauseMs, code) => {
    if (pauseMs > leftMs) return false
    leftMs -= pauseMs
    onWait?.({ seconds: Math.ceil(pauseMs / 1000), code })
    await wait(pauseMs, signal)
    return true
  }
  for (;;) {
    try {
      return await attempt(pause)
    } catch (error) {
      if (!(error instanceof VitrineError)) throw error
      const isAsked = error.retryAfterSeconds !== null && (error.status === 429 || error.status === 503)
      if (!isAsked && (!isRetried(error) || ++retries > mostRetries)) throw error
      // At least a second, even for Retry-After: 0.
      if (!(await pause(isAsked ? (error.retryAfterSeconds || 1) * 1000 : pauseMs, error.code))) throw error
      if (!isAsked) pauseMs = Math.min(2 * pauseMs, longestPauseMs)
    }
  }
}

function postForm(
  connection: Connection,
  path: string,
  { clientId, clientSecret }: Credentials,
  parameters: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Answer> {
  return ask(connection, path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...parameters, client_id: clientId, client_secret: clientSecret }).toString(),
    signal,
  })
}

async function requestToken(connection: Connection, credentials: Credentials): Promise<string> {
  const { scope } = credentials
  const { body } = await postForm(connection, '/auth/token', credentials, {
    grant_type: 'client_credentials',
    ...(scope ? { scope: scope.join(' ') } : {}),
  })
  const token = (body as { access_token?: unknown } | null)?.access_token
  if (typeof token === 'string') return token
  throw unexpectedAnswer('The answer to the sign-in holds no token.')
}
