// One JSON object a line. Callers log names, counts and causes, not bodies or headers; a security code or token that stands in
// any field all the same (a path, a method, a message) is taken out of the line.
import { printableJson } from '../../client/pull/printable.ts'
import { systemClock, type Clock } from './clock.ts'
import { withoutSecrets } from './redact.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

type Details = Readonly<Record<string, unknown>>

export interface Log {
  debug(event: string, details?: Details): void
  info(event: string, details?: Details): void
  warn(event: string, details?: Details): void
  error(event: string, details?: Details): void
}

export function createLog(level: LogLevel, write: (line: string) => void, clock: Clock = systemClock): Log {
  const from = logLevels.indexOf(level)
  const at =
    (name: Exclude<LogLevel, 'silent'>) =>
    (event: string, details: Details = {}) => {
      if (logLevels.indexOf(name) < from) return
      const time = new Date(clock.now()).toISOString()
      // With a replacer it takes three times as long, on every request.
      const line = { time, level: name, event, ...details }
      const json = 'cause' in details ? JSON.stringify(line, causes) : JSON.stringify(line)
      // Logs are read on terminals, too.
      write(`${printableJson(withoutSecrets(json))}\n`)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

// An Error has no enumerable properties: without this its log line would be {}. The stack tells where a defect is.
function causes(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value
  return { message: value.message, stack: value.stack, ...(value.cause === undefined ? {} : { cause: value.cause }) }
}

// The lines of one turn of the event loop are written together: a busy service would spend as long on writing lines as on
// anything else. Nothing is lost at the end of the process.
export function writeTogether(
  write: (text: string) => void,
  onExit: (flush: () => void) => void,
): (line: string) => void {
  let lines = ''
  const flush = () => {
    if (lines !== '') write(lines)
    lines = ''
  }
  onExit(flush)
  return (line) => {
    if (lines === '') setImmediate(flush)
    lines += line
  }
}

export interface Availability {
  lost(cause: unknown): void
  back(): void
}

const tellLossEveryMs = 10_000

// That something the service needs is lost, and that it is back: once each, however many find out. A thing of which a part fails
// seems lost and back in turn; then, too, it is told of only now and then.
export function tellAvailability(log: Log, what: string, now = () => performance.now()): Availability {
  let isLost = false
  let toldAt = -Infinity
  return {
    lost(cause) {
      if (isLost || now() - toldAt < tellLossEveryMs) return
      isLost = true
      toldAt = now()
      log.error(`${what}_lost`, { cause })
    },
    back() {
      if (!isLost) return
      isLost = false
      log.info(`${what}_back`)
    },
  }
}
