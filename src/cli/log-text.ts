// A line of the JSON log → one line of text for a terminal, or nothing if the welcome text already says it.
import { printableLine } from '../terminal/printable.ts'

const inWelcome = new Set(['listening', 'self_signed_certificate', 'exposed', 'took_over', 'lists_by_columns'])

export function logText(json: string): string {
  const { time, level, event, ...details } = JSON.parse(json) as Record<string, unknown>
  if (inWelcome.has(String(event))) return ''
  const clock = new Date(String(time)).toTimeString().slice(0, 8)
  const words = event === 'request' ? requestWords(details) : eventWords(String(level), String(event), details)
  return `${printableLine([clock, ...words].join(' '))}\n`
}

function requestWords(details: Readonly<Record<string, unknown>>): string[] {
  const { status, method, path, ms, key, address, code, cause } = details
  const failure = [code, causeText(cause)].filter(Boolean).join(': ')
  return [`${text(status)} ${text(method)} ${text(path)} ${text(ms)} ms`, text(key ?? address), failure].filter(Boolean)
}

const eventWords = (level: string, event: string, details: Readonly<Record<string, unknown>>): string[] => [
  level,
  event.replaceAll('_', ' '),
  ...Object.entries(details).map(([name, value]) => `${name}=${name === 'cause' ? causeText(value) : text(value)}`),
]

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

// Only the message: the stack is in the JSON log.
function causeText(cause: unknown): string {
  if (cause === undefined) return ''
  return text(typeof cause === 'object' && cause !== null && 'message' in cause ? cause.message : cause)
}
