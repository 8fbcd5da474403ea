// Options that several commands share.
import { readInteger } from '../catalogue/filters/integer.ts'

interface CountOption<Default> {
  readonly name: string
  // Of `valueOf`, if the option is not given.
  readonly defaultValue: Default
  readonly minimum?: number
  readonly maximum: number
  // The beginning of its help.
  readonly counts: string
  // The default as the help names it, if that is not a number.
  readonly defaultText?: string
  // The end of its help.
  readonly more?: string
}

type OptionValues = Readonly<Record<string, string>>

export function countOption<Default extends number | undefined>(declared: CountOption<Default>) {
  const { name, defaultValue, minimum = 1, maximum, counts, defaultText = String(defaultValue), more = '' } = declared
  const read = (text: string): number | undefined => {
    const given = readInteger(text)
    return 'value' in given && given.value >= minimum && given.value <= maximum ? given.value : undefined
  }
  return {
    option: { name, value: 'N', help: `${counts}, ${minimum} to ${maximum} (default: ${defaultText}).${more}` },
    valueOf: (options: OptionValues): number | Default => read(options[name] ?? '') ?? defaultValue,
    check: ({ [name]: text }: OptionValues): string[] =>
      text === undefined || read(text) !== undefined
        ? []
        : [`--${name} ${JSON.stringify(text)} is not a whole number from ${minimum} to ${maximum}.`],
  }
}

const dialects = ['sqlite', 'postgres'] as const
export type DialectName = (typeof dialects)[number]
// A source can be in these.
const sourceDialects = [...dialects, 'mysql'] as const
export type SourceDialectName = (typeof sourceDialects)[number]

const dialectOption = (names: readonly string[], usual: string) => ({
  option: { name: 'dialect', value: names.join('|'), help: `The engine (default: ${usual}).` },
  check: ({ dialect }: OptionValues): string[] =>
    dialect === undefined || names.includes(dialect) ? [] : [`--dialect is ${names.join(' or ')}, not "${dialect}".`],
})

export const dialect = dialectOption(dialects, 'the engine of the connected database')
export const sourceDialect = dialectOption(sourceDialects, 'that of VITRINE_COPY_FROM, or of the connected database')
