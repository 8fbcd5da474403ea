// Processor time, memory and open files of processes, from Linux's /proc. The time of other processes is not counted.
import { readdirSync, readFileSync } from 'node:fs'

// A tick is 10 ms on every Linux this runs on.
const tickMs = 10

const read = (path: string) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The process has ended.
    return ''
  }
}

// utime, stime and those of ended children: fields 14 to 17 of proc(5). The name before them may contain blanks.
function usedMs(pid: number): number {
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * tickMs, 0)
}

export const cpuOf = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + usedMs(pid), 0)

export const descriptorsOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

export function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}
