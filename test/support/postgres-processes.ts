// The processes of test servers, found by their command lines: every server carries the name of its folder there
// (`cluster_name` puts it into the titles of the children, too, which are in sessions of their own).
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** How the folder is called in which a process has its servers. */
export const homePrefix = 'vitrine-postgres-'
const stopPatienceMs = 10_000
const pollMs = 5

/** What only the processes of this folder and of folders below it have on their command lines. */
export const nameOf = (folder: string) => folder.slice(folder.lastIndexOf(homePrefix))

export function processesIn(folder: string): number[] {
  const name = `${nameOf(folder)}/`
  return commandLines()
    .filter(([, command]) => /^(\S*\/)?(postgres|initdb)\b/.test(command) && command.includes(name))
    .map(([pid]) => pid)
}

// Slim containers have no `ps`; macOS has no /proc. A process that has ended and waits for its parent has no command.
function commandLines(): [number, string][] {
  if (process.platform !== 'linux') {
    const lines = execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' }).split('\n')
    return lines.map((line) => [Number.parseInt(line, 10), line.replace(/^\s*\d+\s+/, '')])
  }
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((entry) => [Number(entry), readOrEmpty(`/proc/${entry}/cmdline`).replaceAll('\0', ' ')])
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

export function signalAll(folder: string, signal: NodeJS.Signals): void {
  for (const pid of processesIn(folder)) signalOne(pid, signal)
}

export function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It ended in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Until a folder has no process left; false if that takes longer than the patience. */
export async function waitUntilGone(folder: string, patienceMs = stopPatienceMs): Promise<boolean> {
  const end = performance.now() + patienceMs
  while (processesIn(folder).length > 0) {
    if (performance.now() > end) return false
    await wait(pollMs)
  }
  return true
}

export async function killAll(folder: string): Promise<void> {
  // A child that was being born escapes the first round, not the second.
  do signalAll(folder, 'SIGKILL')
  while (!(await waitUntilGone(folder, 100)))
}

/** Ends every server below a folder, paused or not, and deletes the folder. */
export async function removeAll(folder: string): Promise<void> {
  signalAll(folder, 'SIGCONT')
  signalAll(folder, 'SIGQUIT')
  if (!(await waitUntilGone(folder))) await killAll(folder)
  for (const file of globSync('{,*/}data/postmaster.pid', { cwd: folder })) releaseMemory(join(folder, file))
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}

// A server that was killed leaves a few bytes of System V memory; its own next start would have freed them.
function releaseMemory(pidFile: string): void {
  const id = readOrEmpty(pidFile).split('\n')[6]?.trim().split(/\s+/)[1]
  if (id) spawnSync('ipcrm', ['-m', id], { stdio: 'ignore' })
}
