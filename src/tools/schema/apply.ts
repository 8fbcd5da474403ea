// Makes what is missing of the source contract's relations and indexes in the connected database, whichever engine it is.
import { databaseProblems } from '../../engine/open.ts'
import { OperatorError } from '../../errors.ts'
import type { DatabaseUrl } from '../../settings/types.ts'
import type { OnProgress } from '../progress.ts'
import { applyToFile } from './apply-sqlite.ts'

export interface Applied {
  readonly database: string
  readonly statements: number
}

export interface ApplyOptions {
  readonly onProgress: OnProgress
  readonly remark: (text: string) => void
  // Makes counts and search indexes anew, even those that seem to be in order.
  readonly rebuild?: boolean
}

export async function applySchema(url: DatabaseUrl, options: ApplyOptions): Promise<Applied> {
  const applied = await apply(url, options)
  // What was there before stays as it is, and may be of another type.
  const problems = await databaseProblems(url)
  if (problems.length > 0) throw new OperatorError(problems.join('\n'), 1)
  return applied
}

async function apply(url: DatabaseUrl, options: ApplyOptions): Promise<Applied> {
  if (url.kind === 'sqlite') return applyToFile(url.path, options)
  const { applyToPostgres } = await import('./apply-postgres.ts')
  return applyToPostgres(url, options)
}
