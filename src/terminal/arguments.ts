// The arguments after `vitrine` → the command with its operands and options, or a help text, or all faults at once. Pure.

import { nearest } from './nearest.ts'
import {
  commandsIn,
  commonOptions,
  operandText,
  optionsOf,
  optionText,
  findCommand,
  type Command,
  type Environment,
  type Option,
  type Words,
} from './command.ts'
import { commandHelp, groupHelp, programHelp } from './help-text.ts'

type ParsedArguments<C extends Command = Command> =
  | ({ command: C } & Words)
  | { help: string }
  | { version: true }
  | { faults: string[] }

export function parseArguments<C extends Command>(
  argv: readonly string[],
  commands: readonly C[],
  env: Environment = {},
): ParsedArguments<C> {
  const named = findCommand(argv, commands)
  if ('fault' in named) return { faults: [named.fault] }
  const end = argv.indexOf('--')
  const asks = new Set(end < 0 ? argv : argv.slice(0, end))
  if (asks.has('--help') || asks.has('-h')) return { help: helpFor(named, commands) }
  if ('command' in named) return readCommand(named.command, named.rest, env)
  if ('group' in named)
    return { faults: [`"${named.group}" needs a second word: ${listNames(commandsIn(named.group, commands))}.`] }
  if (asks.has('--version')) return { version: true }
  const { faults } = readWords(argv, commonOptions, 'vitrine')
  return { faults: [`A command is missing: ${listNames(commands)}. "vitrine --help" explains them.`, ...faults] }
}

function helpFor(named: { command: Command } | { group: string } | object, commands: readonly Command[]): string {
  if ('command' in named) return commandHelp(named.command)
  return 'group' in named ? groupHelp(named.group, commands) : programHelp(commands)
}

const listNames = (commands: readonly Command[]): string => commands.map(({ name }) => name).join(', ')

function readCommand<C extends Command>(command: C, argv: readonly string[], env: Environment): ParsedArguments<C> {
  const { operands: declared = [], options: ownOptions = [] } = command
  const { operands, given, perhapsValues, faults } = readWords(argv, optionsOf(command), `"${command.name}"`)
  const missing = [
    ...ownOptions
      .filter(({ name, required, instead = name }) => required && !given.has(name) && !given.has(instead))
      .map((option) =>
        [option, ...ownOptions.filter(({ name }) => name === option.instead)].map(optionText).join(' or '),
      ),
    ...declared
      .slice(operands.length)
      .filter(({ isRepeated, isOptional }) => !isRepeated && !isOptional)
      .map(({ name }) => name),
  ]
  for (const one of missing) faults.push(`"${command.name}" needs ${one}.`)
  for (const { name, instead = '' } of ownOptions)
    if (given.has(name) && given.has(instead)) faults.push(`Give --${name} or --${instead}, not both.`)
  const takes = declared.map(operandText).join(' ') || 'no operands'
  const most = declared.at(-1)?.isRepeated ? Infinity : declared.length
  const surplus = operands.length > most ? operands.filter((_, place) => !perhapsValues.has(place)).slice(most) : []
  for (const word of surplus) faults.push(`"${word}" is too much: "${command.name}" takes ${takes}.`)
  const options: Record<string, string> = {}
  const flags = new Set<string>()
  for (const [name, value] of given)
    if (value === null) flags.add(name)
    else if (value !== '') options[name] = value
  faults.push(...(command.check?.(options, operands, flags, env) ?? []))
  return faults.length > 0 ? { faults } : { command, operands, options, flags }
}

interface ParsedWords {
  operands: string[]
  /** By the name of the option; null for a flag. */
  given: Map<string, string | null>
  /** Indexes of operands that may be values of unknown options. */
  perhapsValues: Set<number>
  faults: string[]
}

function readWords(argv: readonly string[], known: readonly Option[], whose: string): ParsedWords {
  const words: ParsedWords = { operands: [], given: new Map(), perhapsValues: new Set(), faults: [] }
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length
  for (let index = 0; index < end; index++) {
    const word = argv[index] ?? ''
    if (!word.startsWith('-') || word === '-') {
      words.operands.push(word)
      continue
    }
    const equals = word.includes('=') ? word.indexOf('=') : word.length
    const name = word.slice(0, equals)
    const attached = equals < word.length ? word.slice(equals + 1) : undefined
    const following = index + 1 < end ? argv[index + 1] : undefined
    const next = attached === undefined && following?.startsWith('--') === false ? following : undefined
    const option = known.find((one) => `--${one.name}` === name) ?? guessOption(name, known, whose, words.faults)
    if (option) {
      if (take(option, attached ?? next, attached !== undefined, words) && attached === undefined) index++
    } else if (next !== undefined) words.perhapsValues.add(words.operands.length)
  }
  words.operands.push(...argv.slice(end + 1))
  return words
}

// A misspelt option is read as the nearest known one, so that its value does not become a second fault.
function guessOption(name: string, known: readonly Option[], whose: string, faults: string[]): Option | undefined {
  const names = known.map((one) => `--${one.name}`)
  const meant = nearest(name, names)
  const guess = meant === undefined ? `. The options are ${names.join(', ')}.` : `: did you mean ${meant}?`
  faults.push(`${name} is not an option of ${whose}${guess}`)
  return known.find((one) => `--${one.name}` === meant)
}

/** Returns true if the option used the value. */
function take(option: Option, value: string | undefined, isAttached: boolean, { given, faults }: ParsedWords): boolean {
  const name = `--${option.name}`
  if (given.has(option.name)) faults.push(`${name} is given more than once.`)
  given.set(option.name, option.value === undefined ? null : (value ?? ''))
  if (option.value === undefined) {
    if (isAttached) faults.push(`${name} takes no value.`)
    return false
  }
  if (!value) faults.push(`${name} needs a value: ${name} ${option.value}.`)
  return value !== undefined
}
