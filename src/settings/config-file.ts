// Parses a config file into names and values; every invalid line becomes a sentence with file and line. Sentences never quote a
// value, because it may be a password.
import { nearest } from '../terminal/nearest.ts'
import { settingNames } from './table.ts'

interface ConfigFile {
  values: Map<string, string>
  faults: string[]
}

export function parseConfigFile(text: string, file: string): ConfigFile {
  const values = new Map<string, string>()
  const faults: string[] = []
  const lineOf = new Map<string, number>()
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const where = `${file} line ${index + 1}`
    const equals = line.indexOf('=')
    const name = line.slice(0, Math.max(equals, 0)).trim()
    const value = equals < 0 ? undefined : unquote(line.slice(equals + 1).trim())
    if (!/^\w+$/.test(name)) faults.push(`${where} is not NAME=value.`)
    else if (!isKnown(name)) faults.push(`${where}: ${unknownName(name)}`)
    else if (lineOf.has(name)) faults.push(`${where}: ${name} was already given on line ${lineOf.get(name)}.`)
    else if (value === undefined)
      faults.push(`${where}: the value of ${name} has a quote that does not close at its end.`)
    else values.set(name, value)
    if (!lineOf.has(name)) lineOf.set(name, index + 1)
  }
  return { values, faults }
}

// A comment may follow a value after a blank, unless the value is quoted.
function unquote(text: string): string | undefined {
  const quote = text[0]
  if (quote !== '"' && quote !== "'") return text.replace(/(^|\s+)#.*$/, '')
  const end = text.indexOf(quote, 1)
  const rest = text.slice(end + 1)
  return end > 0 && (rest === '' || /^\s+#/.test(rest)) ? text.slice(1, end) : undefined
}

export const isKnown = (name: string): boolean => settingNames.includes(name.replace(/_FILE$/, ''))

// A sentence. `more`: further known names.
export function unknownName(name: string, more: readonly string[] = []): string {
  const meant = nearestName(name, [...settingNames, ...settingNames.map((known) => `${known}_FILE`), ...more])
  return meant === undefined ? `${name} is not a setting.` : `${name} is not a setting: did you mean ${meant}?`
}

function nearestName(name: string, known: readonly string[]): string | undefined {
  const prefix = 'VITRINE_'
  const upper = name.toUpperCase()
  if (!upper.startsWith(prefix)) return known.find((one) => one === prefix + upper) ?? nearest(name, known)
  // Without the prefix, which would make every name similar to every other.
  const meant = nearest(
    name.slice(prefix.length),
    known.map((one) => one.slice(prefix.length)),
  )
  return meant === undefined ? undefined : prefix + meant
}
