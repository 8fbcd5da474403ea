// Calls with a token: it is got once and used until it is refused or signed off; limits and pauses of the service are kept to.
import { ask, type Answer, type Connection } from './ask.ts'
import { VitrineError } from './errors.ts'
import { unlessAborted, wait } from './wait.ts'

export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
  // Fewer permissions than the key has.
  readonly scope?: readonly string[]
}

export interface Patience {
  // The longest that one call waits in all when it is told to: past it the refusal is thrown.
  readonly patienceMs: number
  // Told of every wait, for a progress line.
  readonly onWait?: ((wait: { readonly seconds: number; readonly code: string }) => void) | undefined
}

export interface Session {
  readonly get: (path: string, signal?: AbortSignal) => Promise<Answer>
  // Ends the token, if there is one; the next call gets another.
  readonly signOff: (signal?: AbortSignal) => Promise<void>
}

export function openSession(connection: Connection, credentials: Credentials, patience: Patience): Session {
  let token: Promise<string> | undefined
  let refused = ''
  // When the key's window is used up, until when.
  let fullUntilMs = 0

  // Whoever asks at the same time waits for the same token; one who gives up does not take it from the others.
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
          // It has expired, or was revoked: once more with a new one. (Another call may have asked for that already.)
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
    // Without patience: a token that is not signed off ends by itself.
    async signOff(signal) {
      const ending = token
      token = undefined
      // A sign-in that failed has left nothing to end.
      const current = ending && (await unlessAborted(ending, signal).catch(() => undefined))
      signal?.throwIfAborted()
      if (current !== undefined) await postForm(connection, '/auth/revoke', credentials, { token: current }, signal)
    },
  }
}

// Waits so long, if the patience lasts; false at once when it does not.
type Pause = (pauseMs: number, code: string) => Promise<boolean>

// As long as the service says when to come again, and the patience lasts.
export async function patiently<Result>(
  attempt: (pause: Pause) => Promise<Result>,
  { patienceMs, onWait }: Patience,
  signal?: AbortSignal,
): Promise<Result> {
  let leftMs = patienceMs
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
      if (!(error instanceof VitrineError) || (error.status !== 429 && error.status !== 503)) throw error
      if (error.retryAfterSeconds === null) throw error
      // Whoever says "at once" again and again is not asked without a pause.
      if (!(await pause((error.retryAfterSeconds || 1) * 1000, error.code))) throw error
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
  throw new VitrineError('The answer to the sign-in holds no token.', { code: 'unexpected_answer', status: 200 })
}
