// Stops servers that a killed benchmark left running. Each has its process id in a file; on Linux the command line shows
// whether the id now belongs to another process.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { repository } from '../test/support/process.ts'

export const ownProgram = join(repository, 'bin', 'vitrine.mjs')

export const servicePidFile = (folder: string) => join(folder, 'service.pid')

export const stopLeftOverService = (folder: string) => stopLeftOver(servicePidFile(folder), ownProgram, 'SIGTERM')

const patienceMs = 60_000
const pollMs = 10

export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Ends the process whose id is the first line of the file, if its command line has this word. */
export async function stopLeftOver(pidFile: string, word: string, signal: NodeJS.Signals): Promise<void> {
  const pid = Number(readOrEmpty(pidFile).split('\n')[0])
  const isRunning = () => readOrEmpty(`/proc/${pid}/cmdline`).split('\0').includes(word)
  if (!pid || !isRunning()) return
  process.kill(pid, signal)
  await until('a server of an earlier run has ended', () => !isRunning())
}

export async function until<Found>(what: string, find: () => Found): Promise<NonNullable<Found>> {
  const end = performance.now() + patienceMs
  for (;;) {
    const found = find()
    if (found) return found
    if (performance.now() > end) throw new Error(`Waited in vain until ${what}.`)
    await wait(pollMs)
  }
}
