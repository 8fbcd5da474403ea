// Who serves from a data folder: a file in it tells, so that the next start can take over without a request being lost. It
// listens beside its predecessor first, then tells it to stop.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

export interface Instance {
  readonly pid: number
  readonly ports: readonly number[]
}

const fileIn = (dataDir: string) => join(dataDir, 'serving.json')

// The instance that serves from this folder now, if there is one.
export function findInstance(dataDir: string): Instance | undefined {
  const found = read(dataDir)
  return found && found.pid !== process.pid && isRunning(found.pid) ? found : undefined
}

export function writeInstance(dataDir: string, ports: readonly number[]): void {
  writeFileSync(fileIn(dataDir), JSON.stringify({ pid: process.pid, ports } satisfies Instance))
}

// Unless a successor has written itself down there.
export function removeInstance(dataDir: string): void {
  if (read(dataDir)?.pid === process.pid) rmSync(fileIn(dataDir), { force: true })
}

function read(dataDir: string): Instance | undefined {
  try {
    const { pid, ports } = JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as Partial<Instance>
    return Number.isInteger(pid) && Array.isArray(ports) ? { pid: Number(pid), ports } : undefined
  } catch {
    return undefined
  }
}

// A number may belong to another program by now: its command line tells. (Where it cannot be read, nothing is taken over.)
function isRunning(pid: number): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return words.some((word) => word.endsWith('vitrine.mjs') || word.endsWith('vitrine')) && words.includes('serve')
  } catch {
    return false
  }
}
