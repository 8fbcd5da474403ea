// The processes of this machine, and the end of one with all that it has started.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface TableRow {
  readonly pid: number
  readonly parent: number
  /** Its words; on Linux, NUL ends each, because paths may have spaces. None once it has ended and waits for its parent. */
  readonly command: string
}

// Slim containers have no `ps`; macOS has no /proc.
export function listProcesses(): TableRow[] {
  if (process.platform !== 'linux') {
    const lines = execFileSync('ps', ['-axo', 'pid=,ppid=,command='], { encoding: 'utf8' }).split('\n')
    return lines.flatMap((line) => {
      const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
      return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }]
    })
  }
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))
  return pids.map((pid) => ({
    pid: Number(pid),
    // The name of the program, in brackets, may have spaces and brackets itself.
    parent: Number(/^.*\) \w (\d+)/s.exec(readOrEmpty(`/proc/${pid}/stat`))?.[1] ?? 0),
    command: readOrEmpty(`/proc/${pid}/cmdline`),
  }))
}

export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

export function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It ended in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** SIGKILL for a process and all below it, except for those that are kept. */
export function endTree(root: number, isKept: (command: string) => boolean = () => false): void {
  const found = new Set([root])
  signalOne(root, 'SIGSTOP')
  // A stopped process starts no others, so that none is missed.
  for (let before = 0; before < found.size;) {
    before = found.size
    for (const { pid, parent, command } of listProcesses()) {
      if (!found.has(parent) || found.has(pid) || isKept(command)) continue
      found.add(pid)
      signalOne(pid, 'SIGSTOP')
    }
  }
  for (const pid of found) signalOne(pid, 'SIGKILL')
}
