// Reads environment and config file: the text of each setting and where it was found. Values are parsed later, by their type in the
// table.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isKnown, parseConfigFile, unknownName } from './config-file.ts'
import { settingNames } from './table.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface GivenSetting {
  // null: given but unreadable, which is already reported.
  text: string | null
  from: string
  file?: string | undefined
}

interface GivenSettings {
  given: Map<string, GivenSetting>
  faults: string[]
  warnings: string[]
}

interface SettingLayer {
  from: string
  file?: string
  get(name: string): string | undefined
}

export function readGiven(env: Environment, configPath: string | undefined, cwd: string): GivenSettings {
  const given = new Map<string, GivenSetting>()
  const faults: string[] = []
  const layers: SettingLayer[] = [{ from: 'environment', get: (name) => env[name] }]
  const configFile = configPath ?? env['VITRINE_CONFIG']
  if (configFile === '') faults.push(`${configPath === '' ? '--config' : 'VITRINE_CONFIG'} is empty.`)
  else if (configFile !== undefined) {
    const content = readText(configFile, cwd)
    if ('fault' in content) faults.push(`The config file ${configFile} ${content.fault}.`)
    else {
      const parsed = parseConfigFile(content.text, configFile)
      faults.push(...parsed.faults)
      const file = resolve(cwd, configFile)
      layers.push({ from: `file ${configFile}`, file, get: (name) => parsed.values.get(name) })
    }
  }

  for (const name of settingNames) {
    for (const layer of layers) {
      const found = readFrom(layer, name, cwd)
      if (found === undefined) continue
      if ('fault' in found) faults.push(found.fault)
      given.set(name, 'fault' in found ? { text: null, from: layer.from } : found)
      break
    }
  }
  return { given, faults, warnings: findSurprises(env) }
}

function readFrom(layer: SettingLayer, name: string, cwd: string): GivenSetting | { fault: string } | undefined {
  const text = layer.get(name)
  const file = layer.get(`${name}_FILE`)
  if (text === undefined && file === undefined) return undefined
  if (text !== undefined && file !== undefined) {
    return { fault: `${name} and ${name}_FILE are both given (${layer.from}): keep one of them.` }
  }
  if (text === '') return { fault: `${name} is empty (${layer.from}): give it a value or leave it out.` }
  if (text !== undefined) return { text, from: layer.from, file: layer.file }
  if (file === undefined || file === '') return { fault: `${name}_FILE is empty (${layer.from}): it must name a file.` }
  const content = readText(file, cwd)
  if ('fault' in content) return { fault: `${name}_FILE names ${file} (${layer.from}), which ${content.fault}.` }
  const value = content.text.replace(/\r?\n$/, '')
  if (value === '') return { fault: `${name} is empty (file ${file}): give it a value or leave it out.` }
  return { text: value, from: `file ${file}`, file: resolve(cwd, file) }
}

const reasons: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read by this user',
  EISDIR: 'is a folder, not a file',
}

function readText(file: string, cwd: string): { text: string } | { fault: string } {
  try {
    return { text: readFileSync(resolve(cwd, file), 'utf8') }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return { fault: reasons[code] ?? `cannot be read (${code})` }
  }
}

// For the client's command.
const others = new Set(['VITRINE_URL', 'VITRINE_CLIENT_ID', 'VITRINE_CLIENT_SECRET'])

// Only warnings: orchestrators put names of their own into the environment.
function findSurprises(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('VITRINE_') && !name.startsWith('VITRINE_TEST_'))
    .filter((name) => name !== 'VITRINE_CONFIG' && !others.has(name) && !isKnown(name))
    .map((name) => unknownName(name, ['VITRINE_CONFIG']))
}
