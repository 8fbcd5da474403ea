// The client of a service: lists, records, and the change feed.
import { ask, type Connection } from './ask.ts'
import { followFeed, type FeedPart, type FollowOptions } from './follow.ts'
import { holdsNo, VitrineError } from './errors.ts'
import type { ResourceName, Resources } from './resources.ts'
import { isPassing, openSession, patiently, type Credentials, type Patience } from './session.ts'
import { wait } from './wait.ts'

export interface ClientOptions extends Credentials, Partial<Patience> {
  // `https://shop.example:8443`, with or without `/api/v1`.
  readonly url: string
  // For one request (default: 30 seconds).
  readonly timeoutMs?: number
  // For example, to use a proxy.
  readonly fetch?: typeof fetch
}

export interface Signalled {
  readonly signal?: AbortSignal
}

type Descending<Field extends string> = `-${Field}`
type Sort<Name extends ResourceName> = Resources[Name]['sort'] | Descending<Resources[Name]['sort']>

// Sorted by one to three fields.
export type Query<Name extends ResourceName> = Resources[Name]['filters'] &
  Signalled & { sort?: Sort<Name> | readonly Sort<Name>[]; per_page?: number }

export interface Meta {
  readonly page: number
  readonly per_page: number
  readonly total: number
  readonly total_pages: number
}

export interface Page<Summary> {
  readonly data: readonly Summary[]
  readonly meta: Meta
}

export interface Status {
  readonly status: string
  readonly api: string
  readonly enabled: boolean
  readonly authorization_header_received: boolean
  readonly https: boolean
  readonly time: string
}

export interface Ping {
  readonly ok: boolean
  readonly client: string
  readonly scopes: readonly string[]
}

export interface FieldDescription {
  readonly name: string
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'array'
  // Of a string.
  readonly format?: 'date-time' | 'date'
  // All that a string can be.
  readonly values?: readonly string[]
  readonly permission?: string
  readonly in: 'list' | 'detail'
  readonly items?: readonly FieldDescription[]
}

// A resource as this key sees it.
export interface ResourceDescription {
  readonly name: ResourceName
  // The path of its change feed, where the service has one.
  readonly changes?: string
  readonly permission: string
  readonly fields: readonly FieldDescription[]
}

export interface Client {
  list<Name extends ResourceName>(
    name: Name,
    query?: Query<Name> & { page?: number },
  ): Promise<Page<Resources[Name]['summary']>>
  get<Name extends ResourceName>(name: Name, id: number, options?: Signalled): Promise<Resources[Name]['record']>
  // All pages. Use `follow` instead while tills write, because records move between pages.
  pages<Name extends ResourceName>(
    name: Name,
    query?: Query<Name>,
  ): AsyncGenerator<Page<Resources[Name]['summary']>, void>
  records<Name extends ResourceName>(name: Name, query?: Query<Name>): AsyncGenerator<Resources[Name]['summary'], void>
  // The change feed, deletions included, where the service has one (`resources` then names `changes`); see follow.ts.
  follow<Name extends ResourceName>(options?: FollowOptions<Name>): AsyncGenerator<FeedPart<Name>, void>
  status(options?: Signalled): Promise<Status>
  ping(options?: Signalled): Promise<Ping>
  resources(options?: Signalled): Promise<readonly ResourceDescription[]>
  // Revokes the token, which would otherwise expire within a quarter of an hour.
  signOff(options?: Signalled): Promise<void>
}

const patienceMs = 120_000
const timeoutMs = 30_000

export function createClient(options: ClientOptions): Client {
  const connection: Connection = {
    url: baseUrl(options.url),
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    timeoutMs: options.timeoutMs ?? timeoutMs,
  }
  const patience = { patienceMs: options.patienceMs ?? patienceMs, onWait: options.onWait }
  const { get, signOff } = openSession(connection, options, patience)
  // A program that follows runs for long: it survives a restart of the service and a broken connection.
  const retried: typeof get = (path, signal) => patiently(() => get(path, signal), patience, signal, isPassing)

  const client: Client = {
    async list(name, query = {}) {
      const { signal, ...parameters } = query
      const { body } = await get(`/${name}${queryText(parameters as Parameters<typeof queryText>[0])}`, signal)
      const page = body as Partial<Page<Resources[typeof name]['summary']>> | null
      if (!Array.isArray(page?.data) || typeof page.meta?.total_pages !== 'number') throw holdsNo('list')
      return page as Page<Resources[typeof name]['summary']>
    },
    async get(name, id, { signal } = {}) {
      const { body } = await get(`/${name}/${id}`, signal)
      const { data } = (body ?? {}) as { data?: Resources[typeof name]['record'] }
      if (typeof data?.id !== 'number') throw holdsNo('record')
      return data
    },
    async *pages(name, query) {
      for (let page = 1; ; page++) {
        const found = await client.list(name, { per_page: 100, ...query, page })
        if (found.data.length > 0) yield found
        if (page >= found.meta.total_pages) return
      }
    },
    async *records(name, query) {
      for await (const { data } of client.pages(name, query)) yield* data
    },
    follow: (query = {}) => followFeed({ get: retried, wait }, query),
    async status({ signal } = {}) {
      const { body } = await patiently(() => ask(connection, '/status', { signal }), patience, signal)
      return body as Status
    },
    async ping({ signal } = {}) {
      return (await get('/ping', signal)).body as Ping
    },
    async resources({ signal } = {}) {
      const { data } = ((await get('/resources', signal)).body ?? {}) as { data?: ResourceDescription[] }
      if (!Array.isArray(data)) throw holdsNo('list of resources')
      return data
    },
    signOff: ({ signal } = {}) => signOff(signal),
  }
  return client
}

// The address may contain a name and a password.
const withoutSecrets = (address: string) => address.replace(/^.*@/s, '***@')

export function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // Plain HTTP would expose the security code.
  if (url?.protocol !== 'https:')
    throw new VitrineError(
      `"${withoutSecrets(text)}" is not the address of a service, which looks like https://shop.example:8443.`,
      { code: 'invalid_address' },
    )
  const path = url.pathname.replace(/\/+$/, '')
  return `${url.origin}${path === '' ? '/api/v1' : path}`
}

type QueryValue = string | number | readonly string[] | undefined

function queryText(parameters: Readonly<Record<string, QueryValue>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value.toString())
  return query.size === 0 ? '' : `?${query.toString()}`
}
