// Sentences about values that are not allowed. A value is repeated to its sender, cut where it is long.
import { nearest } from '../../nearest.ts'

export const shown = (value: string) => JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)

export function notAllowed(value: string, allowed: readonly string[]): string {
  const meant = nearest(value, allowed)
  return `${shown(value)} is not allowed; allowed: ${allowed.join(', ')}.${meant ? ` Did you mean ${meant}?` : ''}`
}
