// One request over TLS, for work that is not measured: signing in, recording answers, reading a total.
import { request, type Agent } from 'node:https'

export interface Place {
  readonly port: number
  /** The certificate, PEM. */
  readonly ca: string
}

export interface Asked {
  readonly token?: string
  /** Sent as a form. */
  readonly form?: string
  readonly localAddress?: string
  readonly agent?: Agent
}

export interface Answer {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** Rejects every status other than 200. */
export function ask(place: Place, path: string, { token, form, localAddress, agent }: Asked = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const asking = request({
    host: '127.0.0.1',
    port: place.port,
    ca: place.ca,
    path,
    method: form === undefined ? 'GET' : 'POST',
    headers: {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(form === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
    },
    agent: agent ?? false,
    ...(localAddress === undefined ? {} : { localAddress }),
  })
  asking.on('error', reject)
  asking.on('response', (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', reject)
    response.on('end', () => {
      const body = Buffer.concat(chunks)
      if (response.statusCode === 200) resolve({ headers: response.headers, body })
      else reject(new Error(`${path} was answered ${response.statusCode}: ${body.toString('utf8').slice(0, 500)}`))
    })
  })
  asking.end(form)
  return promise
}
