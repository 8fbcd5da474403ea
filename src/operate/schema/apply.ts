// `schema apply` makes what is missing of the source contract's relations, the indexes of their parts and the journal, and removes
// what earlier versions made; `schema remove` removes all of ours. Both say beforehand what they will do.
import { databaseProblems } from '../../engine/open.ts'
import { OperatorError } from '../../errors.ts'
import type { DatabaseUrl } from '../../settings/types.ts'
import { changeFile } from './apply-sqlite.ts'
import type { Change, Changed, ChangeOptions } from './plan.ts'

export async function applySchema(url: DatabaseUrl, options: ChangeOptions): Promise<Changed> {
  const applied = await change(url, 'apply', options)
  // What was there before stays as it is, and may be of another type.
  const problems = await databaseProblems(url)
  if (problems.length > 0) throw new OperatorError(problems.join('\n'), 1)
  return applied
}

export const removeSchema = (url: DatabaseUrl, options: ChangeOptions) => change(url, 'remove', options)

async function change(url: DatabaseUrl, what: Change, options: ChangeOptions): Promise<Changed> {
  if (url.kind === 'sqlite') return changeFile(url.path, what, options)
  const { changePostgres } = await import('./apply-postgres.ts')
  return changePostgres(url, what, options)
}
