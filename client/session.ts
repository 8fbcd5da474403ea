// Calls with a token: it is got once and used until it is refused; limits and pauses of the service are kept to.
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

export type Get = (path: string, signal?: AbortSignal) => Promise<Answer>

export function openSession(connection: Connection, credentials: Credentials, patience: Patience): Get {
  let token: Promise<string> | undefined
  let refused = ''
  // When the key's window is used up, until when.
  let fullUntilMs = 0

  // Whoever asks at the same time waits for the same token; one who gives up does not take it from the others.
  async function currentToken(signal?: AbortSignal): Promise<string> {
    if (!token) {
      const asked = patiently(() => requestToken(connection, credentials), patience)
      token = asked
      asked.catch(() => {
        if (token === asked) token = undefined
      })
    }
    return await unlessAborted(token, signal)
  }

  async function send(path: string, bearer: string, signal?: AbortSignal): Promise<Answer> {
    const pauseMs = fullUntilMs - Date.now()
    if (pauseMs > 0 && pauseMs <= patience.patienceMs) {
      patience.onWait?.({ seconds: Math.ceil(pauseMs / 1000), code: 'rate_limited' })
      await wait(pauseMs, signal)
    }
    const answer = await ask(connection, path, { headers: { authorization: `Bearer ${bearer}` }, signal })
    if (answer.headers.get('x-ratelimit-remaining') === '0')
      fullUntilMs = Date.now() + Number(answer.headers.get('x-ratelimit-reset')) * 1000
    return answer
  }

  return (path, signal) =>
    patiently(
      async () => {
        const first = await currentToken(signal)
        try {
          return await send(path, first, signal)
        } catch (error) {
          if (!(error instanceof VitrineError) || error.code !== 'invalid_token') throw error
          // It has expired, or was revoked: once more with a new one. (Another call may have asked for that already.)
          if (refused !== first) token = undefined
          refused = first
          return await send(path, await currentToken(signal), signal)
        }
      },
      patience,
      signal,
    )
}

// As long as the service says when to come again, and the patience lasts.
async function patiently<Result>(
  attempt: () => Promise<Result>,
  { patienceMs, onWait }: Patience,
  signal?: AbortSignal,
): Promise<Result> {
  let leftMs = patienceMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof VitrineError) || (error.status !== 429 && error.status !== 503)) throw error
      const pauseMs = (error.retryAfterSeconds ?? Infinity) * 1000
      if (!(pauseMs <= leftMs)) throw error
      leftMs -= pauseMs
      onWait?.({ seconds: pauseMs / 1000, code: error.code })
      await wait(pauseMs, signal)
    }
  }
}

async function requestToken(connection: Connection, { clientId, clientSecret, scope }: Credentials): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    ...(scope ? { scope: scope.join(' ') } : {}),
  })
  const { body } = await ask(connection, '/auth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  })
  const token = (body as { access_token?: unknown } | null)?.access_token
  if (typeof token === 'string') return token
  throw new VitrineError('The answer to the sign-in holds no token.', { code: 'unexpected_answer', status: 200 })
}
