// `vitrine config`: every setting, its value and where it came from.
import { table } from './output.ts'
import type { Runnable } from './command.ts'
import { settingFields, settingsTable, type SettingRow } from '../settings/table.ts'

export const config: Runnable = {
  name: 'config',
  summary: 'Prints every setting, its value and where it came from; secrets masked.',
  details: settingFields.map((field) => describe(settingsTable[field])).join('\n\n'),
  run({ sources, output }) {
    const json = Object.fromEntries(sources.map(({ name, value, from }) => [name, { value, from }]))
    output.result(
      json,
      table([['SETTING', 'VALUE', 'FROM'], ...sources.map(({ name, value, from }) => [name, value, from])]),
    )
  },
}

function describe({ name, help, default: usual }: SettingRow<unknown>): string {
  const shown =
    typeof usual === 'string' ? usual : usual && typeof usual === 'object' && 'said' in usual ? usual.said : 'none'
  return `${name}: ${help} Default: ${shown}.`
}
