// Servers that outlived a benchmark which was killed: each leaves its process id in a file, and on Linux it can be told from
// a newer process with the same id by its command line.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { repository } from '../test/support/process.ts'

export const program = join(repository, 'bin', 'vitrine.mjs')

export const servicePidFile = (folder: string) => join(folder, 'service.pid')

export const stopLeftOverService = (folder: string) => stopLeftOver(servicePidFile(folder), program, 'SIGTERM')

const patienceMs = 60_000
const pollMs = 10

export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Ends the process that a file names in its first line, if that has this word on its command line. */
export async function stopLeftOver(pidFile: string, word: string, signal: NodeJS.Signals): Promise<void> {
  const pid = Number(readOrEmpty(pidFile).split('\n')[0])
  const isRunning = () => readOrEmpty(`/proc/${pid}/cmdline`).split('\0').includes(word)
  if (!pid || !isRunning()) return
  process.kill(pid, signal)
  await until('a server of an earlier run has ended', () => !isRunning())
}

export async function until(what: string, isSo: () => boolean): Promise<void> {
  const end = performance.now() + patienceMs
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`Waited in vain until ${what}.`)
    await wait(pollMs)
  }
}
