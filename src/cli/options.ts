// Options that several commands share.
import { readInteger } from '../catalogue/filters/integer.ts'
import type { Option } from './command.ts'

interface CountOption {
  readonly name: string
  readonly defaultValue: number
  readonly maximum: number
  // The beginning of its help.
  readonly counts: string
  // The default as the help names it, if that is not a number.
  readonly defaultText?: string
}

type OptionValues = Readonly<Record<string, string>>

export function countOption({ name, defaultValue, maximum, counts, defaultText = String(defaultValue) }: CountOption) {
  const read = (options: OptionValues): number | undefined => {
    const given = readInteger(options[name] ?? String(defaultValue))
    return 'value' in given && given.value >= 1 && given.value <= maximum ? given.value : undefined
  }
  return {
    option: { name, value: 'N', help: `${counts}, 1 to ${maximum} (default: ${defaultText}).` } satisfies Option,
    valueOf: (options: OptionValues): number => read(options) ?? defaultValue,
    check: (options: OptionValues): string[] =>
      read(options) === undefined
        ? [`--${name} ${JSON.stringify(options[name])} is not a whole number from 1 to ${maximum}.`]
        : [],
  }
}

const dialects = ['sqlite', 'postgres'] as const
export type DialectName = (typeof dialects)[number]
// A source can be in these.
const sourceDialects = [...dialects, 'mysql'] as const
export type SourceDialectName = (typeof sourceDialects)[number]

const optionOf = (names: readonly string[]): Option => ({
  name: 'dialect',
  value: names.join('|'),
  help: 'The engine (default: the engine of the connected database).',
})

export const dialectOption = optionOf(dialects)
export const sourceDialectOption: Option = {
  ...optionOf(sourceDialects),
  help: 'The engine (default: that of VITRINE_COPY_FROM, or of the connected database).',
}

const faultIn = (names: readonly string[], { dialect }: OptionValues): string[] =>
  dialect === undefined || names.includes(dialect) ? [] : [`--dialect is ${names.join(' or ')}, not "${dialect}".`]

export const dialectFault = (options: OptionValues) => faultIn(dialects, options)
export const sourceDialectFault = (options: OptionValues) => faultIn(sourceDialects, options)
