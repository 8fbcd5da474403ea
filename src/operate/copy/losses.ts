// When most rows of a relation vanish, the source is probably being restored, or a view reads the wrong table. Such a relation waits: it
// keeps its rows, with its whole family, while the others go on, until the loss is accepted or, if it is small, has lasted.
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import { quote } from '../../sql/dialect.ts'
import type { ImportPlace, RelationChanges, Staged } from '../import/place.ts'
import { isMissing, sameKey } from '../import/staged.ts'
import { familyAbove, familyOf, twinOf } from './families.ts'

export interface WaitingRelation {
  readonly relation: string
  // Rows in the copy, rows that the source gives now, and rows that would be deleted.
  readonly had: number
  readonly has: number
  readonly lost: number
  // When it began to wait, and since when every round has said the same, in milliseconds since 1970.
  readonly since: number
  readonly sameSince: number
  // The rounds that have said the same.
  readonly rounds: number
}

export const waitingMark = 'waiting'

export const readWaiting = (marks: ReadonlyMap<string, string>): readonly WaitingRelation[] =>
  JSON.parse(marks.get(waitingMark) ?? '[]') as readonly WaitingRelation[]

// Whether a relation waits, with its family.
export function waitsIn(waiting: readonly WaitingRelation[], known: readonly Relation[]) {
  const names = new Set(waiting.map((each) => each.relation))
  const families = new Set(known.filter(({ name }) => names.has(name)).map(familyOf))
  return (relation: Relation): boolean =>
    [familyOf(relation), familyAbove(relation)].some((name) => families.has(name ?? ''))
}

// A family that waits is read whole, so that a source that is in order again is noticed at once.
export function marksToReadFrom(marks: ReadonlyMap<string, string>, waiting: readonly WaitingRelation[]) {
  const waits = waitsIn(waiting, relations)
  const names = new Set(relations.filter(waits).map(({ name }) => name))
  return new Map([...marks].filter(([name]) => !names.has(name)))
}

// Fewer rows can be deleted at will.
const leastHeld = 10
const small = { below: 1000, rounds: 3, lastsMs: 3_600_000 }

interface LossOptions {
  readonly before: readonly WaitingRelation[]
  readonly now: number
}

// The relations that would lose too much, with those of their families that have not said so for long enough.
export async function findLosses(
  place: ImportPlace,
  compared: readonly RelationChanges[],
  { before, now }: LossOptions,
): Promise<WaitingRelation[]> {
  const found: { readonly relation: Relation; readonly waiting: WaitingRelation }[] = []
  for (const each of compared) {
    const { relation, counts } = each
    if (counts.deleted * 2 <= leastHeld) continue
    const had = await count(place, quote(relation.name))
    const lost = counts.deleted * 2 <= had ? 0 : await countLost(place, each, compared)
    if (had < leastHeld || lost * 2 <= had) continue
    const has = await count(place, place.stage(relation))
    const earlier = before.find(({ relation: name }) => name === relation.name)
    found.push({
      relation,
      waiting: { relation: relation.name, had, has, lost, ...lasting(earlier, { had, lost }, now) },
    })
  }
  const stays = waitsIn(
    found.flatMap(({ waiting }) => (isAccepted(waiting, now) ? [] : [waiting])),
    found.map(({ relation }) => relation),
  )
  return found.flatMap(({ relation, waiting }) => (stays(relation) ? [waiting] : []))
}

// New rows in the source change nothing about what is lost. A clock that was put back begins anew.
function lasting(
  earlier: WaitingRelation | undefined,
  { had, lost }: Pick<WaitingRelation, 'had' | 'lost'>,
  now: number,
): Pick<WaitingRelation, 'since' | 'sameSince' | 'rounds'> {
  if (!earlier) return { since: now, sameSince: now, rounds: 1 }
  const since = Math.min(earlier.since, now)
  const isSame = earlier.had === had && earlier.lost === lost && earlier.sameSince <= now
  return isSame
    ? { since, sameSince: earlier.sameSince, rounds: earlier.rounds + 1 }
    : { since, sameSince: now, rounds: 1 }
}

const isAccepted = ({ had, rounds, sameSince }: WaitingRelation, now: number) =>
  had < small.below && rounds >= small.rounds && now - sameSince >= small.lastsMs

// A record that moves to the archive, or back, is not lost.
async function countLost(place: ImportPlace, each: RelationChanges, compared: readonly Staged[]): Promise<number> {
  const { relation, counts } = each
  const twin = twinOf(relation)
  if (!twin || !compared.some((other) => other.relation === twin)) return counts.deleted
  const isMoved = `EXISTS (SELECT 1 FROM ${place.stage(twin)} s WHERE ${sameKey(relation, 's', 'm')})`
  return count(place, `${quote(relation.name)} m WHERE ${isMissing(each, place)} AND NOT ${isMoved}`)
}

async function count(place: ImportPlace, from: string): Promise<number> {
  const [[counted] = []] = await place.rows(`SELECT count(*) FROM ${from}`, [])
  return Number(counted)
}

// Relations that have rows in the copy and no view in the file: nothing would ever change about these rows.
export async function heldWithoutView(place: ImportPlace, selects: ReadonlyMap<string, string>) {
  const found: { readonly name: string; readonly held: number }[] = []
  for (const { name } of relations) {
    if (selects.has(name)) continue
    const held = await count(place, quote(name))
    if (held > 0) found.push({ name, held })
  }
  return found
}

export const withoutView = (held: number) =>
  `The copy has ${held} ${held === 1 ? 'row' : 'rows'} of it, and the file has no view. Put the view back; if the rows are to go, "vitrine copy --accept-loss" deletes them.`
