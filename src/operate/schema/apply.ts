// `schema apply` makes the missing relations of the source contract, the indexes of their parts and the journal; `schema remove`
// removes the journal. Both announce their steps first.
import { databaseProblems } from '../../engine/open.ts'
import { OperatorError } from '../../errors.ts'
import type { DatabaseUrl } from '../../settings/types.ts'
import { changeFile } from './apply-sqlite.ts'
import type { SchemaCommand, SchemaOptions, SchemaResult } from './plan.ts'

export async function applySchema(url: DatabaseUrl, options: SchemaOptions): Promise<SchemaResult> {
  const applied = await change(url, 'apply', options)
  // Existing tables are not changed, and their columns may be of another type.
  const problems = await databaseProblems(url)
  if (problems.length > 0) throw new OperatorError(problems.join('\n'), 1)
  return applied
}

export const removeSchema = (url: DatabaseUrl, options: SchemaOptions) => change(url, 'remove', options)

async function change(url: DatabaseUrl, command: SchemaCommand, options: SchemaOptions): Promise<SchemaResult> {
  if (url.kind === 'sqlite') return changeFile(url.path, command, options)
  const { changePostgres } = await import('./apply-postgres.ts')
  return changePostgres(url, command, options)
}
