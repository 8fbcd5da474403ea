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
  const values: Partial<Record<keyof Settings, unknown>> = {}
  for (const field of settingFields) {
    const { name, type, default: usual }: SettingRow<unknown> = settingsTable[field]
    const { text, from, file } =
      given.get(name) ?? defaultOf(usual, (values.dataDir as string | undefined) ?? resolve(cwd))
    if (text === null) {
      // Given but unreadable, which is already reported; or not set.
      if (given.has(name) || typeof usual === 'string' || !('none' in usual)) continue
      values[field] = usual.none
      sources.push({ name, value: 'none', from })
      continue
    }
    const shown = type.mask?.(text) ?? text
    sources.push({ name, value: shown, from })
    if (file !== undefined && shown !== text && shown.includes(masked)) secretFiles.add(file)
    const parsed = type.parse(text, cwd)
    if ('value' in parsed) values[field] = parsed.value
    else faults.push(asSentence(`${name} is ${JSON.stringify(shown)} (${from}), but ${parsed.fault}`))
  }
  faults.push(...findContradictions(values as Partial<Settings>, (name) => given.has(name), needsState))
  if (faults.length > 0) return { faults, warnings }
  return { settings: values as Settings, sources, secretFiles: [...secretFiles], warnings }
}

function defaultOf(usual: SettingRow<unknown>['default'], dataDir: string): GivenSetting {
  const text = typeof usual === 'string' ? usual : 'none' in usual ? null : usual.text(dataDir)
  return { text, from: 'default' }
}

export const asSentence = (text: string): string => (text.endsWith('?') ? text : `${text}.`)
