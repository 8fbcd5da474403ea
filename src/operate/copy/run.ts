// One round of a copy: runs the SELECTs of the views on one snapshot of the source, and writes what is new, changed or gone into the
// copy, all or nothing. A whole round compares all rows. Between whole rounds, a relation whose rows all have an `updated_at` is read
// from the latest one on, with the children of the rows read; other relations are read whole.
import { createHash } from 'node:crypto'
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import { OperatorError } from '../../errors.ts'
import { timeWithOffset, type Clock } from '../../platform/clock.ts'
import type { DatabaseUrl, SourceUrl } from '../../settings/types.ts'
import { quote } from '../../sql/dialect.ts'
import { Faults } from '../import/files.ts'
import type { Counts, ImportPlace, Staged, WriteOptions } from '../import/place.ts'
import { stageInputs, withPlace } from '../import/run.ts'
import { parentOf } from '../import/staged.ts'
import type { OnProgress } from '../progress.ts'
import { applySchema } from '../schema/apply.ts'
import { readSelects } from '../views/script.ts'
import type { RoundedColumn } from './doubles.ts'
import { copyInput, type CopyInput } from './input.ts'
import { withCopyLock } from './lock.ts'
import {
  copiedMark,
  kindsMarks,
  openMemory,
  readKinds,
  readMarks,
  roundedMark,
  viewsMark,
  type CopyMemory,
  type KeyKinds,
} from './memory.ts'
import { silenceMsOf, untilUnchanged, type Source, type SourceOptions, type UseSource } from './source.ts'

export interface CopyOptions extends Omit<WriteOptions, 'stampedAt'> {
  readonly from: SourceUrl
  // The file of views.
  readonly views: string
  readonly timeZone: string
  readonly timeoutMs: number
  // How often all rows are compared.
  readonly wholeEveryMs: number
  // A relation that had many rows and now has none is copied, too.
  readonly acceptsEmpty?: boolean
  readonly clock: Clock
  readonly signal: AbortSignal
}

interface CopiedRelation extends Counts {
  readonly relation: string
  readonly how: string
  readonly read: number
}

export interface CopyResult {
  readonly database: string
  readonly is_whole: boolean
  readonly relations: readonly CopiedRelation[]
  readonly rounded: readonly RoundedColumn[]
}

// Makes what is missing in the database of the copy: relations, indexes and the journal.
export async function prepareCopy(url: DatabaseUrl, from: SourceUrl): Promise<void> {
  if (JSON.stringify(placeOf(url)) === JSON.stringify(placeOf(from)))
    throw new OperatorError('The copy needs a database of its own: VITRINE_DATABASE_URL names the source itself.', 1)
  await applySchema(url, { onProgress() {}, remark() {} })
}

const placeOf = (url: DatabaseUrl | SourceUrl) =>
  url.kind === 'sqlite' ? url.path : [url.kind, url.host, url.port, url.database, url.kind === 'postgres' && url.schema]

const mostFaults = 100

type CopyOutcome = CopyResult | { readonly faults: Faults }

export const copyOnce = (url: DatabaseUrl, options: CopyOptions): Promise<CopyOutcome> =>
  withCopyLock(url, () => untilUnchanged(() => copyLocked(url, options)))

async function copyLocked(url: DatabaseUrl, options: CopyOptions): Promise<CopyOutcome> {
  const { from, views, timeZone, timeoutMs, signal, clock } = options
  const selects = readSelects(views, from.kind === 'mysql')
  const faults = new Faults(mostFaults)
  return withPlace(url, { isDryRun: false, signal, silenceMs: silenceMsOf(timeoutMs) }, async (place) => {
    const memory = await openMemory(place, options.remark)
    const now = clock.now()
    const digest = digestOf(from, selects)
    const isWhole = isWholeDue(memory, digest, now - options.wholeEveryMs)
    const ways = waysOf(selects, isWhole ? new Map() : memory.marks)
    const keyKinds = readKinds(isWhole ? new Map() : memory.marks)
    // The snapshot of the source ends before the copy is written.
    const { inputs, read } = await withSource(from, { timeZone, timeoutMs, signal }, async (source) => {
      const inputs = inputsOf(ways, selects, { source, memory, keyKinds }, options.onProgress)
      return { inputs, read: await stageInputs(place, inputs, faults, signal) }
    })
    if (faults.count === 0 && !options.acceptsEmpty) await refuseEmptied(place, ways, read, faults)
    if (faults.count > 0) return { faults }
    const rounded = inputs.flatMap((input) => input.rounded())
    const staged = ways.map(({ relation, deletes }) => ({ relation, deletes }))
    const stampedAt = timeWithOffset(timeZone)(clock.now()).slice(0, 19)
    const written = await place.write(staged, { ...options, stampedAt })
    await memory.mark({
      ...marksOf(ways, inputs, stampedAt),
      ...kindsMarks(keyKinds),
      [viewsMark]: digest,
      [copiedMark]: String(now),
      ...(isWhole ? { [wholeMark]: String(now), [roundedMark]: JSON.stringify(rounded) } : {}),
    })
    return {
      database: place.name,
      is_whole: isWhole,
      relations: written.map(({ relation, counts }, at) => ({
        relation: relation.name,
        how: ways[at]?.how ?? '',
        read: read[at] ?? 0,
        ...counts,
      })),
      rounded,
    }
  })
}

// Drivers are loaded only where they are used.
export async function withSource<Result>(
  url: SourceUrl,
  options: SourceOptions,
  use: UseSource<Result>,
): Promise<Result> {
  if (url.kind === 'sqlite') return (await import('./source-sqlite.ts')).withSqliteSource(url.path, options, use)
  if (url.kind === 'mysql') return (await import('./source-mysql.ts')).withMysqlSource(url, options, use)
  return (await import('./source-postgres.ts')).withPostgresSource(url, options, use)
}

const leastEmptied = 100

// When a whole table vanishes, the source is probably being restored, or the view reads the wrong table.
async function refuseEmptied(
  { rows }: ImportPlace,
  ways: readonly Way[],
  read: readonly number[],
  faults: Faults,
): Promise<void> {
  for (const [at, { relation, deletes }] of ways.entries()) {
    if (deletes !== 'all' || read[at] !== 0) continue
    const [[held] = []] = await rows(`SELECT count(*) FROM ${quote(relation.name)}`, [])
    const message = `The SELECT gives no rows, and the copy has ${Number(held)}. If they are gone for good, "vitrine copy --accept-empty" deletes them.`
    if (Number(held) >= leastEmptied) faults.add(relation.name, null, null, message)
  }
}

const wholeMark = 'whole'

// When the last round that succeeded began, in milliseconds since 1970; null: there is no copy yet.
export async function lastCopyOf(url: DatabaseUrl): Promise<number | null> {
  const signal = new AbortController().signal
  const marks = await withPlace(url, { isDryRun: true, signal }, readMarks)
  return marks.has(copiedMark) ? Number(marks.get(copiedMark)) : null
}

// A new digest, of another source or of other SELECTs, makes the marks useless.
const digestOf = (from: SourceUrl, selects: ReadonlyMap<string, string>) =>
  createHash('sha256')
    .update(JSON.stringify([from.kind === 'sqlite' ? from.path : [from.host, from.port, from.database], ...selects]))
    .digest('hex')

const isWholeDue = ({ marks }: CopyMemory, digest: string, before: number) =>
  marks.get(viewsMark) !== digest || Number(marks.get(wholeMark) ?? 0) <= before

// How a relation is read in this round.
interface Way extends Staged {
  readonly how: string
  // The latest `updated_at` so far: rows are read from there.
  readonly mark?: string
  // Only the children of the rows read from this relation.
  readonly childrenOf?: Relation
}

// The relation whose rows a relation of lines or payments is read with.
export const copiedWith = (relation: Relation): Relation | undefined =>
  relation.parent === undefined ? undefined : parentOf(relation)?.relation

// In the contract's order: a parent comes before its children.
function waysOf(selects: ReadonlyMap<string, string>, marks: ReadonlyMap<string, string>): Way[] {
  const ways: Way[] = []
  for (const relation of relations) {
    if (!selects.has(relation.name)) continue
    const mark = marks.get(relation.name)
    const parent = copiedWith(relation)
    const isParentByTime = ways.some((way) => way.relation === parent && way.mark !== undefined)
    if (mark !== undefined) ways.push({ relation, deletes: 'none', how: `since ${withOverlap(mark)}`, mark })
    else if (parent && isParentByTime)
      ways.push({ relation, deletes: 'children of staged rows', how: `with ${parent.name}`, childrenOf: parent })
    else ways.push({ relation, deletes: 'all', how: 'whole' })
  }
  return ways
}

// Longer than most transactions, and than the hour that local times repeat in autumn. The next whole round finds rows that were
// committed even later.
const overlapMs = 70 * 60_000

const withOverlap = (mark: string) =>
  new Date(Date.parse(`${mark}Z`) - overlapMs).toISOString().slice(0, 19).replace('T', ' ')

function inputsOf(
  ways: readonly Way[],
  selects: ReadonlyMap<string, string>,
  given: { readonly source: Source; readonly memory: CopyMemory; readonly keyKinds: KeyKinds },
  onProgress: OnProgress,
): CopyInput[] {
  const inputs: CopyInput[] = []
  for (const [at, { relation, mark, childrenOf }] of ways.entries()) {
    const select = selects.get(relation.name) ?? ''
    const parent = inputs.find((input) => input.relation === childrenOf)
    inputs.push(
      copyInput({
        ...given,
        relation,
        keepsIds: ways.some((way) => way.childrenOf === relation),
        selects() {
          onProgress({ what: `reading ${relation.name}`, done: at, total: ways.length })
          if (mark !== undefined) return [within(select, `updated_at >= '${withOverlap(mark)}'`)]
          return parent ? inChunks(parent.ids).map((ids) => within(select, `${relation.parent} IN (${ids})`)) : [select]
        },
      }),
    )
  }
  return inputs
}

// The condition reaches the tables inside, because planners look through such a subquery.
const within = (select: string, condition: string) =>
  `SELECT * FROM (\n${select}\n) AS copied WHERE copied.${condition}`

const idsAtOnce = 500

function inChunks(ids: readonly string[]): string[] {
  const chunks: string[] = []
  for (let at = 0; at < ids.length; at += idsAtOnce) chunks.push(ids.slice(at, at + idsAtOnce).join(', '))
  return chunks
}

// A mark in the future would hide all changes until then.
function marksOf(ways: readonly Way[], inputs: readonly CopyInput[], now: string): Record<string, string | undefined> {
  const marks = ways.map(({ relation, mark }, at): [string, string | undefined] => {
    const times = [mark, inputs[at]?.latest()].filter((time) => time !== undefined).toSorted()
    const latest = times.at(-1)
    return [relation.name, latest !== undefined && latest > now ? now : latest]
  })
  return Object.fromEntries(marks)
}
