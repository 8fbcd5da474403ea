// A command that can be run: its declaration, and what it does with what was given.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../clock.ts'
import { OperatorError } from '../errors.ts'
import { folderProblem } from '../files.ts'
import type { SettingSource } from '../settings/load.ts'
import type { Settings } from '../settings/table.ts'
import { openSqliteState } from '../state/sqlite/state.ts'
import type { State } from '../state/state.ts'
import type { Command } from './command.ts'
import type { Output } from './output.ts'

export interface Context {
  readonly operands: readonly string[]
  readonly options: Readonly<Record<string, string>>
  readonly flags: ReadonlySet<string>
  readonly settings: Settings
  readonly sources: readonly SettingSource[]
  readonly clock: Clock
  readonly output: Output
}

export interface Runnable extends Command {
  run(context: Context): Promise<void> | void
}

// Commands that need the state open it for as long as they run. One that only looks makes no file.
export async function withState<Result>(
  { settings, clock }: Context,
  use: (state: State) => Promise<Result>,
  absent: 'taken for empty' | 'made where there is none' = 'taken for empty',
) {
  if (settings.stateUrl.kind !== 'sqlite') throw new OperatorError('PostgreSQL is not supported by this version.')
  const { path } = settings.stateUrl
  const isThere = existsSync(path)
  const problem = isThere ? undefined : folderProblem(dirname(path))
  if (problem) throw new OperatorError(problem)
  const state = openSqliteState({ path: isThere || absent === 'made where there is none' ? path : null, clock })
  try {
    return await use(state)
  } finally {
    await state.close()
  }
}

// What a person gave was wrong: every sentence, and exit status 2.
export function refuseFaults<Result extends object>(result: Result | { readonly faults: readonly string[] }): Result {
  if ('faults' in result) throw new OperatorError(result.faults.join('\n'))
  return result
}
