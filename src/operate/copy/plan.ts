// How each relation of a source will be read, and how soon a change of it is in the copy. Runs each SELECT without rows.
import { findRelation, relations } from '../../contract/relations.ts'
import { OperatorError } from '../../errors.ts'
import { parentOf } from '../import/place.ts'
import { readSelects } from '../views/script.ts'
import { withSource } from './open-source.ts'
import type { CopyOptions } from './run.ts'
import { SourceFailure, type Source } from './source.ts'

interface PlannedRelation {
  readonly relation: string
  readonly how: string
  readonly freshness: string
  // Columns of the contract that the SELECT does not give.
  readonly empty: readonly string[]
}

type PlanOptions = Pick<CopyOptions, 'from' | 'views' | 'timeZone' | 'timeoutMs' | 'signal'>

export async function planCopy({ from, views, ...options }: PlanOptions): Promise<PlannedRelation[]> {
  const selects = readSelects(views, from.kind === 'mysql')
  const faults: string[] = []
  const given = new Map<string, ReadonlySet<string>>()
  for (const { name } of relations) {
    const select = selects.get(name)
    if (select === undefined) continue
    // Each in a connection of its own, because PostgreSQL ends the transaction of a statement that it refuses.
    const columns = await withSource(from, options, (source) => columnsOf(source, name, select))
    if ('fault' in columns) faults.push(columns.fault)
    else given.set(name, columns.names)
  }
  if (faults.length > 0) throw new OperatorError(faults.join('\n'), 1)
  return [...given].map(([name, names]) => {
    const { columns, parent } = findRelation(name)
    const parentName = parent === undefined ? undefined : parentOf(findRelation(name))?.relation.name
    const empty = Object.keys(columns).filter((column) => !names.has(column))
    return {
      relation: name,
      ...wayOf(names.has('updated_at'), hasTime(given, parentName) ? parentName : undefined),
      empty,
    }
  })
}

const hasTime = (given: ReadonlyMap<string, ReadonlySet<string>>, name: string | undefined) =>
  given.get(name ?? '')?.has('updated_at') === true

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

async function columnsOf(source: Source, name: string, select: string) {
  try {
    const none = `SELECT * FROM (\n${select}\n) AS copied WHERE 1 = 0`
    for await (const { columns } of source.batches(none))
      return { names: new Set(columns.map((column) => column.name.toLowerCase())) }
    return { names: new Set<string>() }
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error
    return { fault: `The SELECT of ${name} failed: ${error.message}.` }
  }
}
