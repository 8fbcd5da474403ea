// Sentences about values that are not allowed. A long value is cut.
import { nearest } from '../../terminal/nearest.ts'

export const shown = (value: string) => JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)

export function notAllowed(value: string, allowed: readonly string[]): string {
  const meant = nearest(value, allowed)
  return `${shown(value)} is not allowed; allowed: ${allowed.join(', ')}.${meant ? ` Did you mean ${meant}?` : ''}`
}

const mostNamed = 10

// Of several wrong values in one parameter, the first ones are named.
export function noneAllowed(values: readonly string[], allowed: readonly string[]): string {
  const named = [...new Set(values)]
  const sentences = named.slice(0, mostNamed).map((value) => notAllowed(value, allowed))
  const others = named.length - mostNamed
  if (others > 0) sentences.push(`${others} more ${others === 1 ? 'is' : 'are'} not allowed.`)
  return sentences.join(' ')
}
