// Follows the change feed of the service: first every record that the key may see, then every change and every deletion. One
// short cursor says how far a program has come.
import { holdsNo, VitrineError } from './errors.ts'
import type { ResourceName, Resources } from './resources.ts'

// One entry of the feed: a record as it is now, with its arrays, or the id of one that is gone.
export type Change<Name extends ResourceName = ResourceName> = {
  readonly [Each in Name]:
    | {
        readonly resource: Each
        readonly id: number
        readonly change: 'record'
        readonly record: Resources[Each]['record']
      }
    | { readonly resource: Each; readonly id: number; readonly change: 'gone' }
}[Name]

export interface FeedPart<Name extends ResourceName = ResourceName> {
  readonly changes: readonly Change<Name>[]
  // Continue from it once these changes are stored; best store both in one transaction.
  readonly cursor: string
  // Every record comes again from here on: records that do not come again are gone.
  readonly isBeginning: boolean
  // False: there is nothing further now.
  readonly more: boolean
}

export interface FollowOptions<Name extends ResourceName = ResourceName> {
  // One resource. Without it, all that the key may read.
  readonly resource?: Name
  // Of an earlier part. Without it, from the beginning.
  readonly cursor?: string | null
  // The most changes in a part (1 to 500; default: 500).
  readonly limit?: number
  // The pause before asking again at the end of the feed. Without it, following ends there.
  readonly everySeconds?: number
  // When the service cannot continue from the cursor: begin again instead of throwing `cursor_expired`, or `invalid_parameter` for a
  // cursor of another key or resource.
  readonly beginAgain?: boolean
  readonly signal?: AbortSignal
}

export interface FeedSource {
  readonly get: (path: string, signal?: AbortSignal) => Promise<{ readonly body: unknown }>
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>
}

// Before the end of the feed is reached: a service whose cursors always expire would otherwise be read for ever.
const mostBeginnings = 3

export async function* followFeed<Name extends ResourceName>(
  { get, wait }: FeedSource,
  { resource, cursor = null, limit = 500, everySeconds, beginAgain = false, signal }: FollowOptions<Name>,
): AsyncGenerator<FeedPart<Name>, void> {
  const path = resource === undefined ? '/changes' : `/changes/${resource}`
  let at = cursor
  let beginnings = 0
  for (;;) {
    let body: unknown
    try {
      const query = new URLSearchParams({ limit: String(limit), ...(at === null ? {} : { cursor: at }) })
      ;({ body } = await get(`${path}?${query.toString()}`, signal))
    } catch (error) {
      if (!beginAgain || at === null || !isRefused(error) || beginnings === mostBeginnings) throw error
      beginnings += 1
      at = null
      continue
    }
    const part = readPart<Name>(body, at === null)
    at = part.cursor
    yield part
    if (part.more) continue
    beginnings = 0
    if (everySeconds === undefined) return
    await wait(everySeconds * 1000, signal)
  }
}

const isRefused = (error: unknown) =>
  error instanceof VitrineError &&
  (error.code === 'cursor_expired' || error.details.some(({ parameter }) => parameter === 'cursor'))

function readPart<Name extends ResourceName>(body: unknown, isBeginning: boolean): FeedPart<Name> {
  const { data, meta } = (body ?? {}) as { data?: Change<Name>[]; meta?: { cursor?: unknown; more?: unknown } }
  if (!Array.isArray(data) || typeof meta?.cursor !== 'string' || typeof meta.more !== 'boolean')
    throw holdsNo('changes')
  return { changes: data, cursor: meta.cursor, more: meta.more, isBeginning }
}
