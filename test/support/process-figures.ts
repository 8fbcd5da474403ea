// What a process takes of the machine: its memory, its open files and its threads, read from /proc.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

export const noProc = existsSync('/proc/self/status') ? false : 'there is no /proc here'

export interface Figures {
  readonly megabytes: number
  readonly files: number
  readonly threads: number
}

export function figuresOf(pid: number | undefined): Figures {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    megabytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
    files: readdirSync(`/proc/${pid}/fd`).length,
    threads: readdirSync(`/proc/${pid}/task`).length,
  }
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
}
