// Commands as data, which the parser, the help and the documentation read; and how a command is found by its name.
import { nearest } from './nearest.ts'
import type { ProgressStream } from './progress.ts'

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

export interface Operand {
  name: string
  help: string
  /** Zero or more values. Only the last operand can be repeated. */
  isRepeated?: true
  /** It may be left out. */
  isOptional?: true
}

export type Environment = Readonly<Record<string, string | undefined>>

export interface Command {
  /** One word, or two: `keys create`. */
  name: string
  summary: string
  /** Paragraphs for the command's own help, separated by blank lines. */
  details?: string
  /** It uses only the POS data, so the settings of the state may be missing. */
  isStateless?: true
  /** It belongs to another package and reads no settings. */
  isApart?: true
  operands?: readonly Operand[]
  options?: readonly Option[]
  /** Faults of the values, which are reported together with faults of the usage. */
  check?(
    options: Readonly<Record<string, string>>,
    operands: readonly string[],
    flags: ReadonlySet<string>,
    env: Environment,
  ): string[]
}

// What a command was given: options with a value, and options without.
export interface Words {
  readonly operands: readonly string[]
  readonly options: Readonly<Record<string, string>>
  readonly flags: ReadonlySet<string>
}

export interface ApartCommand extends Command {
  isApart: true
  /** Returns the exit status. */
  run(words: Words, streams: Streams): Promise<number>
}

export interface Streams {
  readonly env: Environment
  readonly stdout: ProgressStream
  readonly stderr: ProgressStream
}

export const commonOptions: readonly Option[] = [
  { name: 'config', value: 'FILE', help: 'Reads the settings from this file.' },
  { name: 'json', help: 'Prints JSON on stdout and nothing else.' },
  { name: 'help', help: 'Prints this help (also -h).' },
]

export const optionsOf = ({ options = [], isApart }: Command): Option[] => [
  ...options,
  ...commonOptions.filter(({ name }) => !isApart || name !== 'config'),
]

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
