// The state for a state URL. Every place that depends on which store it is asks here.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../clock.ts'
import { OperatorError } from '../errors.ts'
import { folderProblem } from '../files.ts'
import type { DatabaseUrl } from '../settings/types.ts'
import { stateFileProblem } from './sqlite/schema.ts'
import { openSqliteState, startSqliteState } from './sqlite/state.ts'
import type { State } from './state.ts'

const notYet = 'VITRINE_STATE_URL names PostgreSQL, which this version does not support yet.'

// Why the state cannot be used, found out without making or changing anything.
export const stateProblem = (url: DatabaseUrl): string | undefined =>
  url.kind === 'sqlite' ? stateFileProblem(url.path) : notYet

// For the service.
export const startState = (url: DatabaseUrl, clock: Clock): State => startSqliteState({ path: sqlitePath(url), clock })

// For a command. One that only looks makes no file: a state that is not there yet is taken for empty.
export function openState(
  url: DatabaseUrl,
  clock: Clock,
  absent: 'taken for empty' | 'made where there is none',
  remark: (text: string) => void,
): State {
  const path = sqlitePath(url)
  const isThere = existsSync(path)
  const problem = isThere ? undefined : folderProblem(dirname(path))
  if (problem) throw new OperatorError(problem)
  // A command in the wrong folder would otherwise do its work where no service looks.
  if (!isThere)
    remark(
      absent === 'taken for empty' ? `There is no state database at ${path}.` : `Made a new state database: ${path}.`,
    )
  return openSqliteState({ path: isThere || absent === 'made where there is none' ? path : null, clock })
}

function sqlitePath(url: DatabaseUrl): string {
  if (url.kind !== 'sqlite') throw new OperatorError(notYet)
  return url.path
}
