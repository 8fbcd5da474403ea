// What the types of the source say about amounts. A decimal that has become an integer has lost its cents, or counts them now: the
// numbers are read alike and mean something else, so that a round refuses them until the view says what they mean.
import { createHash } from 'node:crypto'
import type { NumberKind } from './source.ts'

export interface ChangedAmount {
  readonly relation: string
  readonly column: string
}

// By relation: the digest of its SELECT, and the kinds of its columns of amounts.
type KnownKinds = Readonly<
  Record<string, { readonly select: string; readonly kinds: Readonly<Record<string, NumberKind>> }>
>

const kindsMark = 'number_kinds'
const changedMark = 'changed_amounts'

export const readChangedAmounts = (marks: ReadonlyMap<string, string>): readonly ChangedAmount[] =>
  JSON.parse(marks.get(changedMark) ?? '[]') as readonly ChangedAmount[]

interface ReadRelation {
  readonly name: string
  readonly numberKinds: ReadonlyMap<string, NumberKind>
}

// The columns whose amounts mean something else now, and the marks to remember.
export function compareAmounts(
  marks: ReadonlyMap<string, string>,
  selects: ReadonlyMap<string, string>,
  read: readonly ReadRelation[],
) {
  const before = JSON.parse(marks.get(kindsMark) ?? '{}') as KnownKinds
  const changed: ChangedAmount[] = []
  const known: Record<string, KnownKinds[string]> = {}
  for (const { name, numberKinds: kinds } of read) {
    const select = createHash('sha256')
      .update(selects.get(name) ?? '')
      .digest('hex')
    const earlier = before[name]?.select === select ? before[name].kinds : {}
    known[name] = { select, kinds: { ...earlier, ...Object.fromEntries(kinds) } }
    for (const [column, kind] of kinds)
      if (kind === 'whole' && (earlier[column] ?? 'whole') !== 'whole') changed.push({ relation: name, column })
  }
  return {
    changed,
    refused: { [changedMark]: JSON.stringify(changed) },
    accepted: { [changedMark]: undefined, [kindsMark]: JSON.stringify({ ...before, ...known }) },
  }
}

export const changedAmountRemedy = (column: string) =>
  `Say in the view what it means: CAST(… AS decimal(20, 6)) AS ${column} if amounts are as before, and divided by 100 if it counts cents now.`

export const changedAmountText = 'It had decimals, and is a whole number in the source now.'
