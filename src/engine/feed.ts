// The change feed: a position → the next entries and the position after them, in one snapshot. It first walks over all records that the
// access may see, in order of resource and id, and then follows the journal. A row of the journal only says that a record may have
// changed: the record is read as it is now.
import type { Access } from '../catalogue/access.ts'
import type { Condition } from '../catalogue/condition.ts'
import { relationsOf, type Resource } from '../catalogue/resource.ts'
import { findResource } from '../catalogue/resources/index.ts'
import type { Relation } from '../contract/relation.ts'
import type { Expired, JournalReader, JournalRow, Snapshot } from '../finder/snapshot.ts'
import { restrictions, type ChangesPlan, type FeedPosition } from '../query/plan.ts'
import type { Dialect } from '../sql/dialect.ts'
import { existingStatement, walkStatement } from '../sql/records.ts'
import type { Id } from '../sql/statement.ts'
import { isOwn, mayBeGone, nameOf, namesAll, recordsIn, rolesOf, visibleBefore } from './feed-rows.ts'
import type { Named, NamingRow, Role } from './feed-rows.ts'

// `none`: the database has no journal that names every write. Otherwise why the journal cannot continue from the position.
export type ChangesAnswer = FeedPart | 'none' | Expired

export interface FeedPart {
  // Entries as JSON, separated by commas.
  readonly body: Uint8Array
  readonly entries: number
  readonly position: FeedPosition
  readonly more: boolean
  // Of the journal: see `JournalReader`.
  readonly oldestAt: number | null
}

export interface VisibleRecord {
  readonly text: string
  readonly isArchived: boolean
}

// Changes that the access may not see are passed over for a bounded time. Then the answer is the place that was reached, so that the next
// request gets further.
export interface Patience {
  // Of a clock that only goes forward.
  readonly nowMs: () => number
  readonly longestMs: number
}

interface Tools {
  readonly dialect: Dialect
  readonly snapshot: Snapshot
  readonly access: Access
  readonly patience: Patience
  // The records that the access may see, as the detail route shows them.
  readonly readRecords: (resource: Resource, ids: readonly Id[]) => Promise<ReadonlyMap<Id, VisibleRecord>>
}

interface Entry {
  readonly text: string
  // After it.
  readonly position: () => FeedPosition
}

// Tells whether there is a feed, and reads no record.
export const feedLook: ChangesPlan = {
  shows: 'changes',
  resources: [],
  access: { permissions: [], stores: [], priceList: null },
  from: null,
  limit: 1,
}

const encoder = new TextEncoder()
// How many rows of the journal are read together. The number grows while all that they name is hidden from the access.
const leastAtOnce = 100
const mostAtOnce = 32_000
// Of these, so many at most are looked up together.
const mostLookedUp = 4000

export async function readFeed(plan: ChangesPlan, tools: Tools): Promise<ChangesAnswer> {
  const journal = await tools.snapshot.journal()
  if (!journal) return 'none'
  const start = await startOf(plan, journal)
  if (typeof start === 'string') return start
  let position = start
  const resources = plan.resources.map((name) => findResource(name)).filter((each) => each !== undefined)
  // One more than is asked for tells whether there are more.
  const wanted = plan.limit + 1
  const entries = new Map<string, Entry>()
  while (position.walk && entries.size < wanted)
    position = await walk(resources, position, wanted - entries.size, tools, entries)
  const isFull = position.walk || entries.size >= wanted
  const followed = isFull ? undefined : await follow(resources, position, wanted, { ...tools, journal }, entries)
  if (typeof followed === 'string') return followed
  const given = [...entries.values()].slice(0, plan.limit)
  const isCut = entries.size > given.length
  return {
    body: encoder.encode(given.map(({ text }) => text).join(',')),
    entries: given.length,
    position: isCut ? (given.at(-1) as Entry).position() : (followed?.position ?? position),
    more: isCut || followed?.isEnd === false,
    oldestAt: await journal.oldestAt(),
  }
}

async function startOf({ from, resources }: ChangesPlan, journal: JournalReader): Promise<FeedPosition | Expired> {
  if (!from) {
    const walk = resources.length === 0 ? null : { resource: 0, after: null }
    return { journal: await journal.end(), walk, resourcesRead: 0 }
  }
  const confirmed = await journal.confirm(from.journal)
  return 'expired' in confirmed ? confirmed.expired : { ...from, journal: confirmed.position }
}

// The next records of one resource.
async function walk(
  resources: readonly Resource[],
  from: FeedPosition,
  most: number,
  { dialect, snapshot, access, readRecords }: Tools,
  entries: Map<string, Entry>,
): Promise<FeedPosition> {
  const { resource: at, after } = from.walk ?? { resource: 0, after: null }
  const resource = resources[at] as Resource
  const positionAt = (id: Id) => ({ ...from, walk: { resource: at, after: String(id) } })
  const rows = await snapshot.rows(walkStatement(dialect, resource, restrictions(resource, access), after, most))
  const ids = rows.map(([id]) => id as Id)
  const records = await readRecords(resource, ids)
  for (const id of ids) {
    const record = records.get(id)
    if (!record) continue
    entries.set(nameOf(resource, id), { text: entryText(resource, id, record), position: () => positionAt(id) })
  }
  if (ids.length === most) return positionAt(ids.at(-1) as Id)
  return { ...from, walk: at + 1 < resources.length ? { resource: at + 1, after: null } : null }
}

const after = (journal: string): FeedPosition => ({ journal, walk: null, resourcesRead: 0 })

interface FollowTools extends Tools {
  readonly journal: JournalReader
}

// The records that the next rows of the journal name, until there are enough, no more rows, or it takes too long.
async function follow(
  resources: readonly Resource[],
  from: FeedPosition,
  wanted: number,
  tools: FollowTools,
  entries: Map<string, Entry>,
): Promise<{ readonly position: FeedPosition; readonly isEnd: boolean } | Expired> {
  const roles = rolesOf(resources)
  const relations = [...roles.keys()]
  const oneByOne = relations.filter((name) => roles.get(name)?.some(isOwn))
  const { nowMs, longestMs } = tools.patience
  const endAt = nowMs() + longestMs
  const isEnough = () => entries.size >= wanted || nowMs() >= endAt
  let position = from
  let limit = Math.max(wanted, leastAtOnce)
  for (;;) {
    const before = entries.size
    const read = await tools.journal.after(position.journal, { relations, oneByOne, limit })
    if (read.rows.some((row) => namesAll(row, roles))) return 'replaced'
    for (let at = 0; at < read.rows.length; at += mostLookedUp) {
      const rows = read.rows.slice(at, at + mostLookedUp)
      const named = recordsIn(rows, roles, position.resourcesRead, tools.access)
      const positionAt = ({ row, resourcesRead }: NamingRow): FeedPosition =>
        resourcesRead === 0
          ? after(read.positionAt(row, 'after'))
          : { journal: read.positionAt(row, 'before'), walk: null, resourcesRead }
      await addEntries(named, tools, position, positionAt, entries)
      position = after(read.positionAt(rows.at(-1) as JournalRow, 'after'))
      if (at + mostLookedUp < read.rows.length && isEnough()) return { position, isEnd: false }
    }
    position = after(read.end)
    if (read.isEnd || isEnough()) return { position, isEnd: read.isEnd }
    if (entries.size === before) limit = Math.min(2 * limit, mostAtOnce)
  }
}

async function addEntries(
  records: readonly Named[],
  tools: FollowTools,
  from: FeedPosition,
  positionAt: (naming: NamingRow) => FeedPosition,
  entries: Map<string, Entry>,
): Promise<void> {
  const found: { readonly name: string; readonly text: string; readonly naming: NamingRow }[] = []
  for (const [resource, named] of Map.groupBy(records, (each) => each.resource)) {
    const ids = named.map(({ id }) => id)
    const visible = await tools.readRecords(resource, ids)
    for (const { id, rows } of named) {
      const record = visible.get(id)
      const naming = record && rows.find(({ role }) => concerns(role, record))
      if (naming) found.push({ name: nameOf(resource, id), text: entryText(resource, id, record), naming })
    }
    const missing = named.filter(({ id }) => !visible.has(id))
    for (const { id, naming } of await findGone(resource, missing, from, tools))
      found.push({ name: nameOf(resource, id), text: entryText(resource, id), naming })
  }
  // Each at the row that makes it news, and not where it is named first: rows that the access may not know of decide which rows are
  // read together, and would show in the order.
  for (const { name, text, naming } of found.toSorted((one, other) => one.naming.place - other.naming.place))
    if (!entries.has(name)) entries.set(name, { text, position: () => positionAt(naming) })
}

// A recent record hides the archived one with its id, whose rows and children are then no news.
const concerns = ({ isChild, isArchive }: Role, { isArchived }: VisibleRecord) =>
  isArchive === isArchived || (isArchived && !isChild)

// Of records that are not visible now: those that the access could see before one of these rows, with the first such row.
async function findGone(
  resource: Resource,
  missing: readonly Named[],
  from: FeedPosition,
  { dialect, snapshot, access, journal }: FollowTools,
): Promise<{ readonly id: Id; readonly naming: NamingRow }[]> {
  const conditions = restrictions(resource, access)
  const possible = missing.filter((each) => mayBeGone(each, conditions))
  if (possible.length === 0) return []
  const ids = possible.map(({ id }) => id)
  const relations = relationsOf(resource)
  const [recent, archive] = relations as [Relation, Relation?]
  const existing = async (relation: Relation, which: readonly Condition[]) => {
    const found = await snapshot.rows(existingStatement(dialect, relation, which, dialect.integerList(ids)))
    return new Set(found.map(([id]) => id))
  }
  // All rows about them, and not only those that were read together: earlier ones may be of the same transaction, and later ones tell
  // what the records were in between.
  const names = relations.map(({ name }) => name)
  const [rows, recentNow, archivedNow] = await Promise.all([
    journal.about(from.journal, names, ids),
    archive ? existing(recent, []) : new Set(),
    archive ? existing(archive, conditions) : new Set(),
  ])
  const rowsById = Map.groupBy(rows, ({ id }) => id)
  return possible.flatMap(({ id, rows: namings }) => {
    const visible = visibleBefore(rowsById.get(id) ?? [], conditions, {
      recent: recentNow.has(id) ? 'hidden' : 'absent',
      archived: archivedNow.has(id) ? 'shown' : 'hidden',
      archive: archive?.name,
    })
    const naming = namings.find(({ row, role }) => isOwn(role) && visible.has(row.seq))
    return naming ? [{ id, naming }] : []
  })
}

const entryText = ({ name }: Resource, id: Id, record?: VisibleRecord) =>
  `{"resource":"${name}","id":${id},"change":${record ? `"record","record":${record.text}` : '"gone"'}}`
