// `vitrine config`: every setting, its value and where it came from.
import { table } from './output.ts'
import type { Runnable } from './runnable.ts'

export const config: Runnable = {
  name: 'config',
  summary: 'Prints every setting, its value and where it came from; secrets masked.',
  operands: [],
  options: [],
  run({ sources, output }) {
    const json = Object.fromEntries(sources.map(({ name, value, from }) => [name, { value, from }]))
    output.result(
      json,
      table([['SETTING', 'VALUE', 'FROM'], ...sources.map(({ name, value, from }) => [name, value, from])]),
    )
  },
}
