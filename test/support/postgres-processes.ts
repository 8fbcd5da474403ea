// The processes of test servers, found by their command lines: every server carries the name of its folder there
// (`cluster_name` puts it into the titles of the children, too, which are in sessions of their own).
import { spawnSync } from 'node:child_process'
import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { listProcesses, readOrEmpty, signalOne } from './process-table.ts'

/** How the folder is called in which a process has its servers. */
export const homePrefix = 'vitrine-postgres-'
const stopPatienceMs = 10_000
const pollMs = 5

/** What only the processes of this folder and of folders below it have on their command lines. */
export const nameOf = (folder: string) => folder.slice(folder.lastIndexOf(homePrefix))

export function processesIn(folder: string): number[] {
  const name = `${nameOf(folder)}/`
  return listProcesses()
    .filter(({ command }) => /^([^\0]*\/)?(postgres|initdb)[\0: ]/.test(command) && command.includes(name))
    .map(({ pid }) => pid)
}

export function signalAll(folder: string, signal: NodeJS.Signals): void {
  for (const pid of processesIn(folder)) signalOne(pid, signal)
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
