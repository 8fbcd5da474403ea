// One round of a copy: runs the SELECTs of the views on one snapshot of the source, and writes what is new, changed or gone into the
// copy, all or nothing. A whole round compares all rows. Between whole rounds, a relation whose rows all have an `updated_at` is read
// from the latest one on, with the children of the rows read; other relations are read whole.
import { createHash } from 'node:crypto'
import { relations } from '../../contract/relations.ts'
import { OperatorError } from '../../errors.ts'
import { timeWithOffset, type Clock } from '../../platform/clock.ts'
import type { DatabaseUrl, SourceUrl } from '../../settings/types.ts'
import { Faults } from '../import/files.ts'
import type { Counts, RelationChanges, WriteOptions } from '../import/place.ts'
import { stageInputs, withPlace } from '../import/run.ts'
import type { OnProgress } from '../progress.ts'
import { applySchema } from '../schema/apply.ts'
import { readSelects } from '../views/script.ts'
import { changedAmountRemedy, changedAmountText, compareAmounts } from './amounts.ts'
import type { RoundedColumn } from './doubles.ts'
import { copyInput, type CopyInput, type CopyInputOptions } from './input.ts'
import {
  countKeptOut,
  idsToReadAgain,
  keepOut,
  keptOutMark,
  readKeptOut,
  type KeptOutCount,
  type KeptOutRow,
} from './kept-out.ts'
import { withCopyLock } from './lock.ts'
import {
  findLosses,
  heldWithoutView,
  marksToReadFrom,
  readWaiting,
  waitingMark,
  waitsIn,
  withoutView,
  type WaitingRelation,
} from './losses.ts'
import {
  copiedBefore,
  copiedMark,
  kindsMarks,
  openMemory,
  readKinds,
  readMarks,
  relationsMark,
  roundedMark,
  viewsMark,
  type CopyMemory,
} from './memory.ts'
import { silenceMsOf, untilUnchanged, type SourceOptions, type UseSource } from './source.ts'
import { inChunks, markOf, selectsSince, waysOf, within, withOverlap, type Way } from './ways.ts'

export interface CopyOptions extends Omit<WriteOptions, 'stampedAt'> {
  readonly from: SourceUrl
  // The file of views.
  readonly views: string
  readonly timeZone: string
  readonly timeoutMs: number
  // How often all rows are compared.
  readonly wholeEveryMs: number
  // How many wrong rows of a relation are kept out at most.
  readonly mostKeptOut: number
  // A relation that lost most of its rows, or its view, is copied, too.
  readonly acceptsLoss?: boolean
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
  readonly kept_out: readonly KeptOutCount[]
  readonly waiting: readonly WaitingRelation[]
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
  const { from, views, timeZone, timeoutMs, signal, clock, mostKeptOut } = options
  const selects = readSelects(views, from.kind === 'mysql')
  const faults = new Faults(mostFaults)
  return withPlace(url, { isDryRun: false, signal, silenceMs: silenceMsOf(timeoutMs) }, async (place) => {
    const memory = await openMemory(place, options.remark)
    const { marks } = memory
    const now = clock.now()
    const digest = digestOf(from, selects)
    const isWhole = isWholeDue(memory, digest, now - options.wholeEveryMs)
    // Nothing is lost where there is no copy yet.
    const acceptsLoss = options.acceptsLoss === true || !marks.has(viewsMark)
    const before = { keptOut: readKeptOut(marks), waiting: readWaiting(marks) }
    const dropped = await heldWithoutView(place, selects)
    if (!acceptsLoss) for (const { name, held } of dropped) faults.add(name, null, null, withoutView(held))
    const names = new Set([...selects.keys(), ...dropped.map(({ name }) => name)])
    const ways = waysOf(names, isWhole ? new Map() : marksToReadFrom(marks, before.waiting))
    const keyKinds = readKinds(isWhole ? new Map() : marks)
    // The snapshot of the source ends before the copy is written.
    const { inputs, read } = await withSource(from, { timeZone, timeoutMs, signal }, async (source) => {
      const mostWrong = Math.max(mostKeptOut, mostFaults)
      const given = { source, memory, keyKinds, mostWrong, keptOut: before.keptOut }
      const inputs = inputsOf(ways, selects, given, options.onProgress)
      return { inputs, read: await stageInputs(place, inputs, faults, signal) }
    })
    const amounts = compareAmounts(marks, selects, inputs)
    for (const { relation, column } of amounts.changed)
      faults.add(relation, null, column, `${changedAmountText} ${changedAmountRemedy(column)}`)
    const wasCopied = copiedBefore(marks)
    const wrong = inputs.map((input) => input.wrong)
    const keptOut = await keepOut(place, ways, {
      wrong,
      before: before.keptOut,
      most: mostKeptOut,
      wasCopied,
      now,
      faults,
    })
    if (faults.count > 0) {
      await memory.mark(amounts.refused)
      return { faults }
    }
    let waiting: readonly WaitingRelation[] = []
    const choose = async (compared: readonly RelationChanges[]) => {
      if (!acceptsLoss) waiting = await findLosses(place, compared, { before: before.waiting, now })
      const waits = waitsIn(waiting, relations)
      return compared.filter(({ relation }) => !waits(relation))
    }
    const rounded = inputs.flatMap((input) => input.rounded())
    const staged = ways.map(({ relation, deletes }) => ({ relation, deletes }))
    const stampedAt = timeWithOffset(timeZone)(clock.now()).slice(0, 19)
    const written = await place.write(staged, { ...options, stampedAt, choose })
    const going = ways.flatMap((way, at) =>
      written.some(({ relation }) => relation === way.relation)
        ? [{ way, input: inputs[at], read: read[at] ?? 0 }]
        : [],
    )
    await memory.mark({
      ...Object.fromEntries(going.map(({ way, input }) => [way.relation.name, markOf(way, input, stampedAt)])),
      ...kindsMarks(keyKinds),
      ...amounts.accepted,
      [viewsMark]: digest,
      [copiedMark]: String(now),
      [relationsMark]: JSON.stringify([...selects.keys()]),
      [keptOutMark]: JSON.stringify(keptOut),
      [waitingMark]: JSON.stringify(waiting),
      ...(isWhole ? { [wholeMark]: String(now), [roundedMark]: JSON.stringify(rounded) } : {}),
    })
    return {
      database: place.name,
      is_whole: isWhole,
      relations: written.map(({ relation, counts }, at) => ({
        relation: relation.name,
        how: going[at]?.way.how ?? '',
        read: going[at]?.read ?? 0,
        ...counts,
      })),
      rounded,
      kept_out: countKeptOut(keptOut),
      waiting,
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

const wholeMark = 'whole'

// What the copy remembers of its rounds. `copiedAt`: when the last one that succeeded began, in milliseconds since 1970; null: there is no
// copy yet.
export async function readCopyState(url: DatabaseUrl): Promise<{
  readonly copiedAt: number | null
  readonly keptOut: readonly KeptOutRow[]
  readonly waiting: readonly WaitingRelation[]
}> {
  const signal = new AbortController().signal
  const marks = await withPlace(url, { isDryRun: true, signal }, readMarks)
  const copiedAt = marks.has(copiedMark) ? Number(marks.get(copiedMark)) : null
  return { copiedAt, keptOut: readKeptOut(marks), waiting: readWaiting(marks) }
}

// A new digest, of another source or of other SELECTs, makes the marks useless.
const digestOf = (from: SourceUrl, selects: ReadonlyMap<string, string>) =>
  createHash('sha256')
    .update(JSON.stringify([from.kind === 'sqlite' ? from.path : [from.host, from.port, from.database], ...selects]))
    .digest('hex')

const isWholeDue = ({ marks }: CopyMemory, digest: string, before: number) =>
  marks.get(viewsMark) !== digest || Number(marks.get(wholeMark) ?? 0) <= before

function inputsOf(
  ways: readonly Way[],
  selects: ReadonlyMap<string, string>,
  {
    keptOut,
    ...given
  }: Pick<CopyInputOptions, 'source' | 'memory' | 'keyKinds' | 'mostWrong'> & {
    readonly keptOut: readonly KeptOutRow[]
  },
  onProgress: OnProgress,
): CopyInput[] {
  const inputs: CopyInput[] = []
  for (const [at, { relation, mark, childrenOf }] of ways.entries()) {
    const select = selects.get(relation.name)
    const parent = inputs.find((input) => input.relation === childrenOf)
    inputs.push(
      copyInput({
        ...given,
        relation,
        keepsIds: ways.some((way) => way.childrenOf === relation),
        selects() {
          onProgress({ what: `reading ${relation.name}`, done: at, total: ways.length })
          if (select === undefined) return []
          if (mark !== undefined) return selectsSince(select, withOverlap(mark), idsToReadAgain(keptOut, relation))
          return parent ? inChunks(parent.ids).map((ids) => within(select, `${relation.parent} IN (${ids})`)) : [select]
        },
      }),
    )
  }
  return inputs
}
