// `--dialect sqlite|postgres`, of the commands that print SQL.
import type { Option } from './command.ts'

const dialects = ['sqlite', 'postgres'] as const
export type DialectName = (typeof dialects)[number]

export const dialectOption: Option = {
  name: 'dialect',
  value: dialects.join('|'),
  help: 'For which engine (default: that of the connected database).',
}

export function dialectFault({ dialect }: Readonly<Record<string, string>>): string[] {
  const isKnown = dialect === undefined || dialects.some((name) => name === dialect)
  return isKnown ? [] : [`--dialect is ${dialects.join(' or ')}, not "${dialect}".`]
}
