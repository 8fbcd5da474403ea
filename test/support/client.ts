// The typed client, asking a world instead of a server.
import { createClient, type Client, type ClientOptions } from '../../client/index.ts'
import type { World } from './world.ts'

export interface WorldClientOptions extends Partial<ClientOptions> {
  /** Before each request, with its path. */
  readonly onRequest?: (path: string) => Promise<void> | void
}

export const addressOf = (url: Parameters<typeof fetch>[0]): string =>
  url instanceof Request ? url.url : url.toString()

let addresses = 0

export async function clientOf(world: World, { onRequest, ...options }: WorldClientOptions = {}): Promise<Client> {
  const { accessKey, securityCode } = await world.makeKey()
  return createClient({
    url: 'https://shop.example',
    clientId: accessKey,
    clientSecret: securityCode,
    fetch: fetchFrom(world, onRequest),
    ...options,
  })
}

export function fetchFrom(world: World, onRequest: WorldClientOptions['onRequest'] = () => {}): typeof fetch {
  // Each from an address of its own: the token rate is not what these tests are about.
  addresses += 1
  const address = `10.9.${addresses >> 8}.${addresses & 255}`
  return async (url, init) => {
    const { pathname, search } = new URL(addressOf(url))
    await onRequest(pathname + search)
    init?.signal?.throwIfAborted()
    const headers = new Headers(init?.headers)
    const {
      status,
      headers: answered,
      text,
    } = await world.ask(pathname + search, {
      method: init?.method ?? 'GET',
      authorization: headers.has('authorization') ? [headers.get('authorization') ?? ''] : [],
      ...(headers.has('content-type') ? { contentType: headers.get('content-type') ?? '' } : {}),
      ...(typeof init?.body === 'string' ? { body: init.body } : {}),
      address,
    })
    return new Response(text, { status, headers: answered })
  }
}
