// Environment and config file → the settings with the source of each, or all faults at once, a sentence each. The environment goes
// before the file, the file before the defaults.
import { resolve } from 'node:path'
import { findContradictions } from './contradictions.ts'
import { readGiven } from './given.ts'
import type { Environment, GivenSetting } from './given.ts'
import { settingFields, settingsTable } from './table.ts'
import type { SettingRow, Settings } from './table.ts'
import { masked } from './types.ts'

export interface SettingSource {
  name: string
  // As text, secrets masked; `none`: not set.
  value: string
  // `default`, `environment` or `file PATH`.
  from: string
}

export type LoadedSettings =
  // `secretFiles`: files that secrets were read from.
  | { settings: Settings; sources: SettingSource[]; secretFiles: string[]; warnings: string[] }
  | { faults: string[]; warnings: string[] }

export function loadSettings(input: {
  env: Environment
  configPath?: string
  cwd: string
  // false: for a command that never opens the state, so that its URL may be missing.
  needsState?: boolean
}): LoadedSettings {
  const { cwd, needsState = true } = input
  const { given, faults, warnings } = readGiven(input.env, input.configPath, cwd)
  const sources: SettingSource[] = []
  const secretFiles = new Set<string>()
  const values: Partial<Settings> = {}
  for (const field of settingFields) {
    const { name } = settingsTable[field]
    const here: GivenSetting = given.get(name) ?? {
      text: defaultText(field, values.dataDir ?? resolve(cwd)),
      from: 'default',
    }
    if (here.text === null && here.from !== 'default') continue
    const taken = take(values, field, here.text, cwd)
    sources.push({ name, value: taken.shown, from: here.from })
    if (here.file !== undefined && taken.shown !== here.text && taken.shown.includes(masked)) secretFiles.add(here.file)
    if (taken.fault !== undefined) {
      faults.push(asSentence(`${name} is ${JSON.stringify(taken.shown)} (${here.from}), but ${taken.fault}`))
    }
  }
  faults.push(...findContradictions(values, (name) => given.has(name), needsState))
  return faults.length === 0 && isComplete(values)
    ? { settings: values, sources, secretFiles: [...secretFiles], warnings }
    : { faults, warnings }
}

function take<Field extends keyof Settings>(
  values: { [Name in Field]?: Settings[Name] },
  field: Field,
  text: string | null,
  cwd: string,
): { shown: string; fault?: string } {
  const row: SettingRow<Settings[Field]> = settingsTable[field]
  if (text === null) {
    if (typeof row.default === 'object' && 'none' in row.default) values[field] = row.default.none
    return { shown: 'none' }
  }
  const shown = row.type.mask?.(text) ?? text
  const parsed = row.type.parse(text, cwd)
  if ('fault' in parsed) return { shown, fault: parsed.fault }
  values[field] = parsed.value
  return { shown }
}

function defaultText(field: keyof Settings, dataDir: string): string | null {
  const fallback = settingsTable[field].default
  if (typeof fallback === 'string') return fallback
  return 'none' in fallback ? null : fallback.text(dataDir)
}

const isComplete = (values: Partial<Settings>): values is Settings => settingFields.every((field) => field in values)

export const asSentence = (text: string): string => (text.endsWith('?') ? text : `${text}.`)
