// GET /changes and GET /changes/{resource}: every record that the token may see, and then every change and every deletion.
import { cursorKey, digestOf, openCursor, sealCursor } from '../auth/cursors.ts'
import type { Resource } from '../catalogue/resource.ts'
import { gatesOf } from '../catalogue/visible.ts'
import { textOfAccess } from '../engine/batches.ts'
import type { Engine } from '../engine/engine.ts'
import { ApiError } from '../errors.ts'
import type { Expired } from '../finder/snapshot.ts'
import type { Route } from '../http/route.ts'
import { planChanges } from '../query/plan-changes.ts'
import type { FeedPosition } from '../query/plan.ts'
import type { State } from '../state/state.ts'
import { askerOf } from './asker.ts'
import { planOrRefuse } from './faults.ts'

interface ChangesOptions {
  // Below the base path. Cursors belong to it.
  readonly path: string
  // Of these, those that the token may read are followed.
  readonly resources: readonly Resource[]
  // For one resource.
  readonly permission?: Resource['permission']
  readonly engine: Engine
  readonly state: State
  readonly onLook: OnLook
}

// Called for every look at the feed, with the time of the oldest row of the journal (seconds since 1970, null if none was deleted yet).
export type OnLook = (look: { readonly accessKey: string; readonly oldestAt: number | null }) => void

export function changesRoute({ path, resources, permission, engine, state, onLook }: ChangesOptions): Route {
  return {
    method: 'GET',
    opens: 'to tokens',
    ...(permission ? { permission } : {}),
    gates: [...new Set(resources.flatMap((resource) => gatesOf(resource, 'detail')))],
    async answer({ call, caller }) {
      const readable = resources.filter((resource) => caller.permissions.includes(resource.permission))
      const key = cursorKey(await state.tokenKey())
      const boundTo = `${caller.accessKey} ${path}`
      const seen = digestOf(textOfAccess(caller))
      const planned = planChanges(readable, call.query, caller, (cursor) => {
        const content = openCursor(key, boundTo, cursor)
        return content === undefined ? undefined : readContent(content, seen)
      })
      if (planned === 'expired') throw expired('access')
      const plan = planOrRefuse(planned)
      const part = await engine.changes(plan, askerOf(call, caller))
      // The journal was there when the cursor was given, and will be back: after an upgrade of the POS, or when a standby has become the
      // primary.
      if (part === 'none' && plan.from)
        throw new ApiError('temporarily_unavailable', { message: away, retryAfter: awaySeconds })
      if (part === 'none') throw new ApiError('not_found')
      if (typeof part === 'string') throw expired(part)
      onLook({ accessKey: caller.accessKey, oldestAt: part.oldestAt })
      const cursor = sealCursor(key, boundTo, writeContent(part.position, seen))
      const meta = `],"meta":${JSON.stringify({ cursor, more: part.more })}}`
      const body = Buffer.concat([Buffer.from('{"data":['), part.body, Buffer.from(meta)])
      return { status: 200, headers: {}, body, records: part.entries }
    },
  }
}

const away = 'The change feed is unavailable, for example during an upgrade of the POS; try again with the same cursor.'
const awaySeconds = 30

const whyExpired: Readonly<Record<Expired | 'access', string>> = {
  pruned: 'The journal no longer reaches back to the cursor; begin again without one.',
  replaced: 'The database was replaced, put back or altered since the cursor was given; begin again without one.',
  access: 'What the key may see has changed since the cursor was given; begin again without one.',
}
const expired = (why: keyof typeof whyExpired) => new ApiError('cursor_expired', { message: whyExpired[why] })

// `seen` stands for what the key may see.
export const writeContent = ({ journal, walk, resourcesRead }: FeedPosition, seen: string) =>
  JSON.stringify([seen, journal, resourcesRead, ...(walk ? [walk.resource, walk.after] : [])])

export function readContent(content: string, seen: string): FeedPosition | 'expired' {
  const [seenThen, journal, resourcesRead, resource, after = null] = JSON.parse(content) as Content
  if (seenThen !== seen) return 'expired'
  return { journal, resourcesRead, walk: resource === undefined ? null : { resource, after } }
}

type Content = [seen: string, journal: string, resourcesRead: number, resource?: number, after?: string | null]
