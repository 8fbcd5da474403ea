// Reads the first rows of each SELECT, and says how its relation will be read and how soon a change is in the copy.
import type { Relation } from '../../contract/relation.ts'
import { findRelation, relations } from '../../contract/relations.ts'
import { OperatorError } from '../../errors.ts'
import { Faults, faultText } from '../import/files.ts'
import { createColumns } from '../import/values.ts'
import { readSelects } from '../views/script.ts'
import { placesOf, refusedSelect } from './input.ts'
import { withSource, type CopyOptions } from './run.ts'
import { rowsAtOnce, type Source } from './source.ts'
import { copiedWith } from './ways.ts'

interface PlannedRelation {
  readonly relation: string
  readonly how: string
  readonly freshness: string
  // Columns of the contract that the SELECT does not give.
  readonly empty: readonly string[]
}

type PlanOptions = Pick<CopyOptions, 'from' | 'views' | 'timeZone' | 'timeoutMs' | 'signal'>

export const planCopy = ({ from, views, ...options }: PlanOptions): Promise<PlannedRelation[]> =>
  withSource(from, options, async (source) => {
    const selects = readSelects(views, from.kind === 'mysql')
    const faults = new Faults(Infinity)
    const given = new Map<string, ReadonlySet<string>>()
    for (const relation of relations) {
      const select = selects.get(relation.name)
      if (select !== undefined) given.set(relation.name, await columnsOf(source, relation, select, faults))
    }
    if (faults.count > 0) throw new OperatorError(faults.first.map(faultText).join('\n'), 1)
    return [...given].map(([name, names]) => {
      const relation = findRelation(name)
      const parent = copiedWith(relation)?.name
      const isParentByTime = parent !== undefined && given.get(parent)?.has('updated_at')
      return {
        relation: name,
        ...wayOf(names.has('updated_at'), isParentByTime ? parent : undefined),
        empty: Object.keys(relation.columns).filter((column) => !names.has(column)),
      }
    })
  })

function wayOf(isByTime: boolean, parent: string | undefined): Pick<PlannedRelation, 'how' | 'freshness'> {
  if (isByTime)
    return {
      how: 'from the last updated_at on',
      freshness: 'a new updated_at: next round; deleted, changed without it, or late with an old one: next whole round',
    }
  if (parent !== undefined)
    return { how: `with ${parent}`, freshness: `with its record in ${parent}; changed alone: next whole round` }
  return { how: 'whole', freshness: 'next round' }
}

// Reads only the first batch of rows, and checks that each has a key.
async function columnsOf(
  source: Source,
  relation: Relation,
  select: string,
  faults: Faults,
): Promise<ReadonlySet<string>> {
  const add = (column: string | null, message: string) => faults.add(relation.name, null, column, message)
  const known = createColumns(relation, { isExact: true, hasDecimalComma: false, limits: new Map() })
  let names: readonly string[] = []
  try {
    const some = `SELECT * FROM (\n${select}\n) AS copied LIMIT ${rowsAtOnce}`
    for await (const { columns, rows } of source.batches(some)) {
      names = columns.map(({ name }) => name.toLowerCase())
      placesOf(columns, known, relation, { fault: (_, column, message) => add(column, message) })
      for (const key of relation.key)
        if (rows.some((row) => row[names.indexOf(key)] === null)) add(key, 'A row has none; expected one in every row.')
    }
  } catch (error) {
    add(null, refusedSelect(error, relation))
  }
  return new Set(names)
}
