// What commands share when they run.
import { userInfo } from 'node:os'
import process from 'node:process'
import type { Clock } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import type { Engine } from '../engine/engine.ts'
import { OperatorError } from '../errors.ts'
import type { InputFault } from '../keys/faults.ts'
import type { SettingSource } from '../settings/load.ts'
import type { Settings } from '../settings/table.ts'
import type { openState } from '../state/open.ts'
import type { State } from '../state/state.ts'
import type { Command, Operand, Words } from '../terminal/command.ts'
import type { Output } from './output.ts'

export interface CommandContext extends Words {
  readonly settings: Settings
  readonly sources: readonly SettingSource[]
  // The files that passwords and other secrets were read from.
  readonly secretFiles: readonly string[]
  readonly clock: Clock
  readonly output: Output
}

export interface Runnable extends Command {
  isApart?: never
  // Returns 1 if the command worked and reports a problem, as `check` does.
  run(context: CommandContext): Promise<1 | void> | 1 | void
}

// The state is open while `use` runs. Its modules are imported only here, because most commands start faster without them.
export const withState =
  <Result>(
    use: (state: State, context: CommandContext) => Promise<Result>,
    absent: Parameters<typeof openState>[2] = 'treat as empty',
  ) =>
  async (context: CommandContext): Promise<Result> => {
    const { stateUrl } = context.settings
    const [{ openState }, { fileProblem }] = await Promise.all([
      import('../state/open.ts'),
      import('../platform/sqlite.ts'),
    ])
    const state = await openState(stateUrl, context.clock, absent, (text) => context.output.remark(text))
    try {
      return await use(state, context)
    } catch (error) {
      const problem = stateUrl.kind === 'sqlite' && fileProblem(`The state database ${stateUrl.path}`, error)
      throw problem ? new OperatorError(problem, 1) : error
    } finally {
      await state.close()
    }
  }

export const keyOperand: Operand = { name: 'KEY', help: 'The access key.' }

// Starts an engine on the POS data while `use` runs.
export async function withEngine<Result>(
  { databaseUrl, statementTimeoutMs }: Settings,
  use: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  const { startEngine } = await import('../engine/open.ts')
  const log = createLog('silent', () => {})
  const engine = await startEngine(databaseUrl, { readers: 1, statementTimeoutMs, log })
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

// The author of a change in the audit: the user of this machine.
export function commandLine(): string {
  try {
    return `${userInfo().username}, command line`
  } catch {
    // In a container, a user may have no name.
    return `user ${process.getuid?.() ?? ''}, command line`
  }
}

export function refuseFaults<Result extends object>(
  result: Result | { readonly faults: readonly InputFault[] },
): Result {
  if ('faults' in result) throw new OperatorError(result.faults.map(({ sentence }) => sentence).join('\n'))
  return result
}
