// An option that is a whole number within bounds, as two commands have it.
import { readInteger } from '../catalogue/filters/integer.ts'
import type { Option } from './command.ts'

interface Count {
  readonly name: string
  readonly usual: number
  readonly most: number
  // What it counts, at the beginning of its help.
  readonly counts: string
  // What holds if it is not given, where that is not the usual number.
  readonly otherwise?: string
}

type Options = Readonly<Record<string, string>>

export function countOption({ name, usual, most, counts, otherwise = String(usual) }: Count) {
  const read = (options: Options): number | undefined => {
    const given = readInteger(options[name] ?? String(usual))
    return 'value' in given && given.value >= 1 && given.value <= most ? given.value : undefined
  }
  return {
    option: { name, value: 'N', help: `${counts}, 1 to ${most}; ${otherwise} if it is not given.` } satisfies Option,
    valueOf: (options: Options): number => read(options) ?? usual,
    check: (options: Options): string[] =>
      read(options) === undefined
        ? [`--${name} ${JSON.stringify(options[name])} is not a whole number from 1 to ${most}.`]
        : [],
  }
}
