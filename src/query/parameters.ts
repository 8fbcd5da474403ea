// A query string and the known parameter names → the values by name, and a fault for each parameter that cannot be decoded, is not known,
// is given twice or is empty.
import type { Fault } from '../errors.ts'
import { nearest } from '../terminal/nearest.ts'
import { limits } from './limits.ts'

export interface Parameters {
  readonly values: ReadonlyMap<string, string>
  readonly faults: readonly Fault[]
}

export function readParameters(query: string, known: readonly string[]): Parameters {
  const values = new Map<string, string>()
  const faults = new Map<string, string>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const rawName = at === -1 ? pair : pair.slice(0, at)
    const name = decode(rawName)
    const parameter = name ?? rawName
    // One fault for each parameter, however often it is given.
    if (faults.has(parameter)) continue
    const value = decode(at === -1 ? '' : pair.slice(at + 1))
    const message = values.delete(parameter)
      ? 'is given more than once.'
      : faultOf(name, value, known, faults.size < limits.faultsWithHelp)
    if (message) faults.set(parameter, message)
    else if (value !== undefined) values.set(parameter, value)
  }
  return { values, faults: [...faults].map(([parameter, message]) => ({ parameter, message })) }
}

function faultOf(
  name: string | undefined,
  value: string | undefined,
  known: readonly string[],
  isHelped: boolean,
): string | undefined {
  const isKnown = name !== undefined && known.includes(name)
  if (!isKnown && !isHelped) return 'is not known.'
  if (name === undefined || value === undefined) return 'holds a percent sign that begins no valid UTF-8 escape.'
  if (!isKnown) return unknown(name, known)
  if (value.includes('\0')) return 'holds a NUL character.'
  return value === '' ? 'is empty; give it a value or leave it out.' : undefined
}

function unknown(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'is not known; no parameter is allowed here.'
  const meant = nearest(name, known)
  return `is not known; allowed: ${known.join(', ')}.${meant ? ` Did you mean ${meant}?` : ''}`
}

// `+` is a blank: clients that encode a query string as a form write it.
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
