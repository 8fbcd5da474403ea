// A file in the data folder that names the instance serving on a port, so that the next start can take over without losing a
// request: it first listens beside its predecessor, then tells it to stop.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

export interface Instance {
  readonly pid: number
  // Boot and start time of the process, because process ids are reused.
  readonly since: string
  readonly ports: readonly number[]
}

const fileIn = (dataDir: string, port: number) => join(dataDir, `serving-${port}.json`)

// The running instance, if any.
export function findInstance(dataDir: string, port: number): Instance | undefined {
  const recorded = read(fileIn(dataDir, port))
  return recorded && recorded.pid !== process.pid && recorded.since === startOf(recorded.pid) ? recorded : undefined
}

export function writeInstance(dataDir: string, port: number, ports: readonly number[]): void {
  const own: Instance = { pid: process.pid, since: startOf(process.pid) ?? '', ports }
  writeFileSync(fileIn(dataDir, port), JSON.stringify(own))
}

// Unless a successor has replaced the file.
export function removeInstance(dataDir: string, port: number): void {
  const file = fileIn(dataDir, port)
  if (read(file)?.pid === process.pid) rmSync(file, { force: true })
}

function read(file: string): Instance | undefined {
  try {
    const { pid, since, ports } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Instance>
    return Number.isInteger(pid) && since && Array.isArray(ports) ? { pid: Number(pid), since, ports } : undefined
  } catch {
    return undefined
  }
}

// Linux only; elsewhere there is no takeover.
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in brackets may hold anything; starttime is the 20th field after it (proc_pid_stat(5)).
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${started}`
  } catch {
    return undefined
  }
}
