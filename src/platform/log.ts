// The log: one JSON object a line. Callers log names, counts and causes, never bodies or headers. A security code or token in any
// field, such as a path, is masked.
import { printableJson } from '../terminal/printable.ts'
import { systemClock, type Clock } from './clock.ts'
import type { EventAt, FieldsOf } from './log-events.ts'
import { withoutSecrets } from './redact.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

type Level = Exclude<LogLevel, 'silent'>
type Write<Name extends Level> = <Event extends EventAt<Name>>(event: Event, details?: FieldsOf<Event>) => void
export type Log = { readonly [Name in Level]: Write<Name> }

export function createLog(level: LogLevel, write: (line: string) => void, clock: Clock = systemClock): Log {
  const from = logLevels.indexOf(level)
  const timeOf = isoTimes()
  const at =
    <Name extends Level>(name: Name): Write<Name> =>
    (event, details?: object) => {
      if (logLevels.indexOf(name) < from) return
      const time = timeOf(clock.now())
      // Without the replacer where possible: it takes three times as long.
      const line = { time, level: name, event, ...details }
      const json = details && 'cause' in details ? JSON.stringify(line, causes) : JSON.stringify(line)
      const text = withoutSecrets(json)
      // Without control characters, because logs are read on terminals.
      write(`${isPrintable(text) ? text : printableJson(text)}\n`)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

// Whether JSON is ASCII, where JSON.stringify escapes every control character but this one. Much faster than an expression.
const isPrintable = (json: string) => Buffer.byteLength(json) === json.length && !json.includes('\x7f')

// Many lines have the time of the line before.
function isoTimes(): (ms: number) => string {
  let [last, text] = [Number.NaN, '']
  return (ms) => {
    if (ms !== last) text = new Date(ms).toISOString()
    last = ms
    return text
  }
}

// JSON.stringify writes an Error as {}.
function causes(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value
  return { message: value.message, stack: value.stack, ...(value.cause === undefined ? {} : { cause: value.cause }) }
}

// Writes the lines of one iteration of the event loop together, because a write for each line would take much of a busy service's
// time. `onExit` flushes the rest.
export function writeTogether(
  write: (text: string) => void,
  onExit: (flush: () => void) => void,
): (line: string) => void {
  let lines = ''
  const flush = () => {
    const text = lines
    lines = ''
    if (text !== '') write(text)
  }
  onExit(flush)
  return (line) => {
    if (lines === '') setImmediate(flush)
    lines += line
  }
}

interface LogStream {
  readonly writableLength: number
  write(text: string): unknown
}

// The most bytes of the log that wait in memory for its reader. The system's pipe holds about 64 KB more.
const mostUnreadBytes = 1024 * 1024

// Writes to a pipe do not wait: Node.js keeps what the reader has not taken. If the reader has stopped, further lines are dropped, and
// their number is reported with the first line that is written again.
export function dropUnread(stream: LogStream, onDropped: (lines: number) => void): (text: string) => void {
  let dropped = 0
  return (text) => {
    if (stream.writableLength > mostUnreadBytes) {
      dropped += text.split('\n').length - 1
      return
    }
    stream.write(text)
    if (dropped === 0) return
    const lines = dropped
    dropped = 0
    onDropped(lines)
  }
}

export interface Availability {
  lost(cause: unknown): void
  back(): void
}

const logLossEveryMs = 10_000

// Logs that a dependency is lost, and that it is back, once each. Rate-limited, so that a flapping dependency does not flood the log.
export function tellAvailability(log: Log, what: 'database' | 'state', now = () => performance.now()): Availability {
  let isLost = false
  let loggedAt = -Infinity
  return {
    lost(cause) {
      if (isLost || now() - loggedAt < logLossEveryMs) return
      isLost = true
      loggedAt = now()
      log.error(`${what}_lost`, { cause })
    },
    back() {
      if (!isLost) return
      isLost = false
      log.info(`${what}_back`)
    },
  }
}
