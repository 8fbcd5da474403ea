// A command that can be run: its declaration, and what it does with what was given.
import { userInfo } from 'node:os'
import process from 'node:process'
import type { Clock } from '../platform/clock.ts'
import { OperatorError } from '../errors.ts'
import type { InputFault } from '../keys/faults.ts'
import type { SettingSource } from '../settings/load.ts'
import type { Settings } from '../settings/table.ts'
import type { openState } from '../state/open.ts'
import type { State } from '../state/state.ts'
import type { Command } from './command.ts'
import type { Output } from './output.ts'

export interface Context {
  readonly operands: readonly string[]
  readonly options: Readonly<Record<string, string>>
  readonly flags: ReadonlySet<string>
  readonly settings: Settings
  readonly sources: readonly SettingSource[]
  // Where passwords and the like were read from.
  readonly secretFiles: readonly string[]
  readonly clock: Clock
  readonly output: Output
}

export interface Runnable extends Command {
  // 1: it was done, and what it was to tell is that something is wrong.
  run(context: Context): Promise<1 | void> | 1 | void
}

// Commands that need the state open it for as long as they run. What it takes is not loaded by the others, nor before the
// words of a command are known to be right.
export async function withState<Result>(
  { settings, clock, output }: Context,
  use: (state: State) => Promise<Result>,
  absent: Parameters<typeof openState>[2] = 'treat as empty',
): Promise<Result> {
  const [{ openState }, { fileProblem }] = await Promise.all([
    import('../state/open.ts'),
    import('../platform/sqlite.ts'),
  ])
  const state = await openState(settings.stateUrl, clock, absent, (text) => output.remark(text))
  try {
    return await use(state)
  } catch (error) {
    const { stateUrl } = settings
    const problem = stateUrl.kind === 'sqlite' && fileProblem(`The state database ${stateUrl.path}`, error)
    throw problem ? new OperatorError(problem, 1) : error
  } finally {
    await state.close()
  }
}

// Who did it, for the audit: the user of this machine.
export function commandLine(): string {
  try {
    return `${userInfo().username}, command line`
  } catch {
    // A user without a name, in a container say.
    return `user ${process.getuid?.() ?? ''}, command line`
  }
}

// What a person gave was wrong: every sentence, and exit status 2.
export function refuseFaults<Result extends object>(
  result: Result | { readonly faults: readonly InputFault[] },
): Result {
  if ('faults' in result) throw new OperatorError(result.faults.map(({ sentence }) => sentence).join('\n'))
  return result
}
