// Progress of a long job → one line on a terminal, redrawn at most ten times a second, or a plain line every few seconds in a
// log or a pipe.
import { printableLine } from './printable.ts'

export interface ProgressStream {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

export interface Progress {
  what: string
  done: number
  total: number
}

export interface ProgressBar {
  update(progress: Progress): void
  /** Leaves the last state visible. */
  finish(): void
  /** Erases the line, to make room for a message; the next update draws it again. */
  clear(): void
}

const redrawMs = 100
const plainShortestMs = 1000
const plainLongestMs = 5000
const widestBar = 30
const narrowestBar = 8
const eraseLine = '\r\u001B[K'

export function progressBar(input: { stream: ProgressStream; now?: () => number; quiet?: boolean }): ProgressBar {
  if (input.quiet) return { update() {}, finish() {}, clear() {} }
  const now = input.now ?? (() => performance.now())
  const bar = input.stream.isTTY ? drawnBar(input.stream, now) : plainLines(input.stream, now)
  // File names are foreign text.
  return { ...bar, update: (progress) => bar.update({ ...progress, what: printableLine(progress.what) }) }
}

function drawnBar(stream: ProgressStream, now: () => number): ProgressBar {
  const measure = stopwatch(now)
  let last: Measured | undefined
  let drawnMs = -Infinity
  const draw = (measured: Measured): void => {
    // One column stays free, because a full line wraps on some terminals. Some pseudo-terminals report 0 columns.
    stream.write(`\r${formatBar(measured, (stream.columns || 80) - 1)}\u001B[K`)
    drawnMs = now()
  }
  return {
    update(progress) {
      last = measure(progress)
      if (now() - drawnMs >= redrawMs) draw(last)
    },
    finish() {
      if (!last) return
      draw(last)
      stream.write('\n')
      last = undefined
    },
    clear() {
      if (last) stream.write(eraseLine)
      drawnMs = -Infinity
    },
  }
}

function plainLines(stream: ProgressStream, now: () => number): ProgressBar {
  const measure = stopwatch(now)
  let last: Measured | undefined
  let written: { tenth: number; ms: number; line: string } = { tenth: 0, ms: now(), line: '' }
  const write = (measured: Measured): void => {
    const line = formatPlain(measured)
    if (line !== written.line) stream.write(`${line}\n`)
    written = { tenth: Math.floor(measured.share * 10), ms: now(), line }
  }
  return {
    update(progress) {
      // Reports the end of the previous step, even if it was quick.
      if (last && last.what !== progress.what) {
        write(last)
        written.tenth = 0
      }
      last = measure(progress)
      const waitedMs = now() - written.ms
      const isNextTenth = Math.floor(last.share * 10) > written.tenth
      if (waitedMs >= plainLongestMs || (isNextTenth && waitedMs >= plainShortestMs)) write(last)
    },
    finish() {
      if (last) write(last)
      last = undefined
    },
    clear() {},
  }
}

interface Measured extends Progress {
  /** From 0 to 1. */
  share: number
  perSecond: number | null
  leftSeconds: number | null
}

function stopwatch(now: () => number): (progress: Progress) => Measured {
  let start: { what: string; done: number; ms: number } | undefined
  return (progress) => {
    const { what, done, total } = progress
    if (start?.what !== what || done < start.done) start = { what, done, ms: now() }
    const elapsed = (now() - start.ms) / 1000
    // The first half second says nothing about the speed.
    const perSecond = elapsed >= 0.5 && done > start.done ? (done - start.done) / elapsed : null
    const share = total > 0 ? Math.min(1, Math.max(0, done / total)) : 1
    const leftSeconds = perSecond === null || share === 1 ? null : (total - done) / perSecond
    return { ...progress, share, perSecond, leftSeconds }
  }
}

function formatBar(measured: Measured, width: number): string {
  const percent = `${Math.floor(measured.share * 100)} %`.padStart(5)
  const label = shorten(measured.what, Math.max(4, Math.floor(width / 3)))
  const fixed = label.length + 1 + percent.length + 1
  const parts: string[] = []
  let used = fixed + narrowestBar
  // The most useful part first: a narrow terminal has no room for the others.
  for (const part of [formatLeft(measured), formatCount(measured), formatRate(measured)]) {
    if (part === '' || used + 2 + part.length > width) continue
    parts.push(part)
    used += 2 + part.length
  }
  const room = Math.min(widestBar, narrowestBar + width - used)
  if (room < 1) return `${label}${percent}`.slice(0, Math.max(0, width))
  const filled = Math.floor(measured.share * room)
  const bar = '█'.repeat(filled) + '░'.repeat(room - filled)
  return [`${label} ${bar} ${percent}`, ...parts].join('  ')
}

function formatPlain(measured: Measured): string {
  const parts = [formatCount(measured), formatRate(measured), formatLeft(measured)].filter((part) => part !== '')
  return `${measured.what}: ${Math.floor(measured.share * 100)} % (${parts.join(', ')})`
}

const shorten = (text: string, width: number): string => (text.length <= width ? text : `${text.slice(0, width - 1)}…`)
const formatCount = ({ done, total }: Measured): string => `${done.toLocaleString('en')}/${total.toLocaleString('en')}`
const formatRate = ({ perSecond }: Measured): string =>
  perSecond === null ? '' : `${perSecond.toLocaleString('en', { maximumFractionDigits: perSecond < 10 ? 1 : 0 })}/s`

function formatLeft({ leftSeconds }: Measured): string {
  if (leftSeconds === null) return ''
  const seconds = Math.ceil(leftSeconds)
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(rest)} left`
}

const two = (value: number): string => String(value).padStart(2, '0')
