// Commands as data, which the parser, the help and the documentation read; how a command is found by its name; and what
// commands share when they run.
import { nearest } from '../platform/nearest.ts'
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
import type { Output } from './output.ts'

export interface Option {
  /** Without the dashes. */
  name: string
  /** The placeholder of the value in the help, as in `--scale N`. Absent: a flag. */
  value?: string
  help: string
  required?: boolean
  /** The name of an option that may be given in its place. */
  instead?: string
}

interface Operand {
  name: string
  help: string
  /** Zero or more values. Only the last operand can be repeated. */
  isRepeated?: true
  /** It may be left out. */
  isOptional?: true
}

export interface Command {
  /** One word, or two: `keys create`. */
  name: string
  summary: string
  /** Paragraphs for the command's own help, separated by blank lines. */
  details?: string
  /** It uses only the POS data, so the settings of the state may be missing. */
  isStateless?: true
  operands?: readonly Operand[]
  options?: readonly Option[]
  /** Faults of the values, which are reported together with faults of the usage. */
  check?(options: Readonly<Record<string, string>>, operands: readonly string[], flags: ReadonlySet<string>): string[]
}

export const commonOptions: readonly Option[] = [
  { name: 'config', value: 'FILE', help: 'Reads the settings from this file.' },
  { name: 'json', help: 'Prints JSON on stdout and nothing else.' },
  { name: 'help', help: 'Prints this help (also -h).' },
]

export const optionsOf = (command: Command): Option[] => [...(command.options ?? []), ...commonOptions]

export const commandsIn = <C extends Command>(group: string, commands: readonly C[]): C[] =>
  commands.filter(({ name }) => name.startsWith(`${group} `))

export const operandText = ({ name, isRepeated, isOptional }: Operand): string =>
  isRepeated ? `[${name} …]` : isOptional ? `[${name}]` : name

export const optionText = ({ name, value }: Option): string =>
  value === undefined ? `--${name}` : `--${name} ${value}`

type CommandMatch<C> = { command: C; rest: string[] } | { group: string } | { nothing: true } | { fault: string }

export function findCommand<C extends Command>(argv: readonly string[], commands: readonly C[]): CommandMatch<C> {
  const places = findCommandWords(argv)
  const [first, second] = places.map((index) => argv[index])
  if (first === undefined) return { nothing: true }
  const command = commands.find(({ name }) => name === `${first} ${second}` || name === first)
  if (command) {
    const used = new Set(places.slice(0, command.name.split(' ').length))
    return { command, rest: argv.filter((_, index) => !used.has(index)) }
  }
  const inGroup = commandsIn(first, commands)
  if (inGroup.length === 0) return { fault: unknownCommand(first, second, commands) }
  return second === undefined ? { group: first } : { fault: unknownCommand(`${first} ${second}`, undefined, inGroup) }
}

// The command may follow options that every command has: `vitrine --config FILE keys list`.
function findCommandWords(argv: readonly string[]): number[] {
  const places: number[] = []
  for (let index = 0; index < argv.length && argv[index] !== '--' && places.length < 2; index++) {
    const word = argv[index] ?? ''
    if (!word.startsWith('-')) places.push(index)
    else if (commonOptions.some(({ name, value }) => value !== undefined && word === `--${name}`)) index++
  }
  return places
}

function unknownCommand(word: string, next: string | undefined, commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name)
  const groups = names.flatMap((name) => (name.includes(' ') ? (name.split(' ')[0] ?? []) : []))
  const both = `${word} ${next ?? ''}`.trim()
  const meantByBoth = nearest(both, names)
  const meant = meantByBoth ?? nearest(word, [...names, ...groups])
  const guess = meant === undefined ? '.' : `: did you mean "${meant}"?`
  return `"${meantByBoth?.includes(' ') ? both : word}" is not a command${guess} The commands are ${names.join(', ')}.`
}

export interface CommandContext {
  readonly operands: readonly string[]
  readonly options: Readonly<Record<string, string>>
  readonly flags: ReadonlySet<string>
  readonly settings: Settings
  readonly sources: readonly SettingSource[]
  // The files that passwords and other secrets were read from.
  readonly secretFiles: readonly string[]
  readonly clock: Clock
  readonly output: Output
}

export interface Runnable extends Command {
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
