// The change feed: a position → the next entries and the position after them, in one snapshot. It first walks over all records that the
// access may see, in order of resource and id, and then follows the journal. A row of the journal only says that a record may have
// changed: the record is read as it is now.
import type { Access } from '../catalogue/access.ts'
import type { Condition } from '../catalogue/condition.ts'
import { relationsOf, type Resource } from '../catalogue/resource.ts'
import { findResource } from '../catalogue/resources/index.ts'
import type { Expired, JournalReader, JournalRow, Snapshot } from '../finder/snapshot.ts'
import { restrictions, type ChangesPlan, type FeedPosition } from '../query/plan.ts'
import type { Dialect } from '../sql/dialect.ts'
import { existingStatement, walkStatement } from '../sql/records.ts'
import type { Id } from '../sql/statement.ts'
import { isOwn, nameOf, namesAll, recordsIn, rolesOf, visibleBefore } from './feed-rows.ts'
import type { Named, NamingRow, OwnRow, Presence } from './feed-rows.ts'

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

interface Tools {
  readonly dialect: Dialect
  readonly snapshot: Snapshot
  readonly access: Access
  // The records that the access may see, as the detail route shows them.
  readonly readRecords: (resource: Resource, ids: readonly Id[]) => Promise<ReadonlyMap<Id, VisibleRecord>>
}

interface Entry {
  readonly text: string
  // After it.
  readonly position: FeedPosition
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
const mostAtOnce = 4000

export async function readFeed(plan: ChangesPlan, tools: Tools): Promise<ChangesAnswer> {
  const journal = await tools.snapshot.journal()
  if (!journal) return 'none'
  const start = await startOf(plan, journal)
  if (typeof start === 'string') return start
  let position = start
  const resources = plan.resources.map((name) => findResource(name)).filter((each) => each !== undefined)
  const roles = rolesOf(resources)
  const archived = archivedSince(journal, position.journal)
  // One more than is asked for tells whether there are more.
  const wanted = plan.limit + 1
  const entries = new Map<string, Entry>()
  while (position.walk && entries.size < wanted)
    position = await walk(resources, position, wanted - entries.size, tools, entries)
  let atOnce = Math.max(wanted, leastAtOnce)
  let isEnd = false
  let openTransaction: OpenTransaction = { transaction: null, names: new Set() }
  while (!position.walk && !isEnd && entries.size < wanted) {
    const before = entries.size
    const rows = await journal.after(position.journal, [...roles.keys()], atOnce)
    if (rows.rows.some((row) => namesAll(row, roles))) return 'replaced'
    const named = recordsIn(rows.rows, roles, position, tools.access)
    await addEntries(named.records, { ...tools, journal, archived, openTransaction }, position, entries)
    openTransaction = lastTransaction(rows.rows, named.records, openTransaction)
    isEnd = rows.rows.length < atOnce
    position = isEnd ? { journal: rows.end, walk: null, resourcesRead: 0 } : named.position
    if (entries.size === before) atOnce = Math.min(2 * atOnce, mostAtOnce)
  }
  const given = [...entries.values()].slice(0, plan.limit)
  const more = entries.size > given.length
  return {
    body: encoder.encode(given.map(({ text }) => text).join(',')),
    entries: given.length,
    position: more ? (given.at(-1) as Entry).position : position,
    more,
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
    if (record) entries.set(nameOf(resource, id), { text: entryText(resource, id, record), position: positionAt(id) })
  }
  if (ids.length === most) return positionAt(ids.at(-1) as Id)
  return { ...from, walk: at + 1 < resources.length ? { resource: at + 1, after: null } : null }
}

async function addEntries(
  records: readonly Named[],
  tools: GoneTools,
  from: FeedPosition,
  entries: Map<string, Entry>,
): Promise<void> {
  const found: { readonly name: string; readonly text: string; readonly row: NamingRow }[] = []
  for (const [resource, named] of Map.groupBy(records, (each) => each.resource)) {
    const ids = named.map(({ id }) => id)
    const visible = await tools.readRecords(resource, ids)
    for (const { id, rows } of named) {
      const record = visible.get(id)
      const row = record && rows.find((each) => concerns(each, record))
      if (row) found.push({ name: nameOf(resource, id), text: entryText(resource, id, record), row })
    }
    const missing = named.filter(({ id, rows }) => !visible.has(id) && rows.some(isOwn))
    for (const { id, row } of await findGone(resource, missing, from, tools))
      found.push({ name: nameOf(resource, id), text: entryText(resource, id), row })
  }
  // Each at the row that makes it news, and not where it is named first: rows that the access may not know of decide which rows are
  // read together, and would show in the order.
  for (const { name, text, row } of found.toSorted((one, other) => one.row.place - other.row.place))
    if (!entries.has(name)) entries.set(name, { text, position: row.next })
}

// A recent record hides the archived one with its id, whose rows and children are then no news.
const concerns = ({ isChild, isArchive }: NamingRow, { isArchived }: VisibleRecord) =>
  isArchive === isArchived || (isArchived && !isChild)

// The transaction of the last row, of which more rows may follow, and the records that its rows named.
interface OpenTransaction {
  readonly transaction: string | null
  readonly names: ReadonlySet<string>
}

function lastTransaction(
  rows: readonly JournalRow[],
  records: readonly Named[],
  before: OpenTransaction,
): OpenTransaction {
  const transaction = rows.at(-1)?.transaction ?? null
  if (transaction === null) return { transaction, names: new Set() }
  const named = records.filter((each) => each.rows.some((row) => row.transaction === transaction))
  const names = named.map(({ resource, id }) => nameOf(resource, id))
  return { transaction, names: new Set(before.transaction === transaction ? [...before.names, ...names] : names) }
}

interface GoneTools extends Tools {
  readonly journal: JournalReader
  readonly archived: ReturnType<typeof archivedSince>
  readonly openTransaction: OpenTransaction
}

// By archive: the ids that rows after a position name. Read once for a request, because it reads the whole rest of the journal.
function archivedSince(journal: JournalReader, position: string) {
  const known = new Map<string, Promise<ReadonlySet<Id | null>>>()
  return (relation: string): Promise<ReadonlySet<Id | null>> => {
    const found =
      known.get(relation) ?? journal.about(position, [relation], null).then((rows) => new Set(rows.map(({ id }) => id)))
    known.set(relation, found)
    return found
  }
}

// Of records that are not visible now: those that the access could see before one of these rows, with the first such row.
async function findGone(
  resource: Resource,
  missing: readonly Named[],
  from: FeedPosition,
  { dialect, snapshot, access, journal, archived, openTransaction }: GoneTools,
): Promise<{ readonly id: Id; readonly row: NamingRow }[]> {
  if (missing.length === 0) return []
  const conditions = restrictions(resource, access)
  const [recent, archive] = relationsOf(resource)
  const rowOf = ({ id, rows }: Named, own: readonly OwnRow[], recentNow: Presence, archivedNow: Presence) => {
    const older = openTransaction.names.has(nameOf(resource, id)) ? openTransaction.transaction : null
    const visible = visibleBefore(own, conditions, recentNow, archivedNow, older)
    const row = rows.find(({ seq }) => visible.has(seq))
    return row ? [{ id, row }] : []
  }
  const ofOwnRows = (each: Named) => rowOf(each, each.rows.filter(isOwn), 'hidden', 'absent')
  if (!recent || !archive) return missing.flatMap(ofOwnRows)
  const ids = missing.map(({ id }) => id)
  const existing = async (relation: typeof recent, which: readonly Condition[], some: readonly Id[]) => {
    const found = await snapshot.rows(existingStatement(dialect, relation, which, dialect.integerList(some)))
    return new Set(found.map(([id]) => id))
  }
  const archivedNow = await existing(archive, conditions, ids)
  const written = await archived(archive.name)
  const isArchived = (id: Id) => archivedNow.has(id) || written.has(id)
  // Not only the rows that were looked at: later ones tell whether the recent record existed.
  const both = ids.filter(isArchived)
  const rows = both.length === 0 ? [] : await journal.about(from.journal, [recent.name, archive.name], both)
  const rowsById = Map.groupBy(rows, ({ id }) => id)
  const recentNow = await existing(recent, [], both)
  return missing.flatMap((each) => {
    const { id } = each
    if (!isArchived(id)) return ofOwnRows(each)
    const own = (rowsById.get(id) ?? []).map((row) => ({ ...row, isArchive: row.relation === archive.name }))
    return rowOf(each, own, recentNow.has(id) ? 'hidden' : 'absent', archivedNow.has(id) ? 'shown' : 'hidden')
  })
}

const entryText = ({ name }: Resource, id: Id, record?: VisibleRecord) =>
  `{"resource":"${name}","id":${id},"change":${record ? `"record","record":${record.text}` : '"gone"'}}`
