// Who serves on a port from a data folder: a file in it tells, so that the next start can take over without a request being lost.
// It listens beside its predecessor first, then tells it to stop.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

export interface Instance {
  readonly pid: number
  // A number is given to other processes later: since when this one has it, and since which start of the machine.
  readonly since: string
  readonly ports: readonly number[]
}

const fileIn = (dataDir: string, port: number) => join(dataDir, `serving-${port}.json`)

// The instance that serves on this port from this folder now, if there is one.
export function findInstance(dataDir: string, port: number): Instance | undefined {
  const found = read(fileIn(dataDir, port))
  return found && found.pid !== process.pid && found.since === startOf(found.pid) ? found : undefined
}

export function writeInstance(dataDir: string, port: number, ports: readonly number[]): void {
  const own: Instance = { pid: process.pid, since: startOf(process.pid) ?? '', ports }
  writeFileSync(fileIn(dataDir, port), JSON.stringify(own))
}

// Unless a successor has written itself down there.
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

// Linux tells; where nobody does, nothing is taken over.
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in brackets may hold anything; the start is the 20th after it (proc_pid_stat(5)).
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${started}`
  } catch {
    return undefined
  }
}
