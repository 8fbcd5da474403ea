// A process that answers nothing, and keeps its connections, until it gets SIGCONT.
import { readdirSync, readFileSync } from 'node:fs'

/** Returns once it stands still, or has ended: a thread that is at work runs on until the system gives it the signal. */
export function freezeProcess(pid: number): void {
  const end = performance.now() + 10_000
  try {
    process.kill(pid, 'SIGSTOP')
    while (process.platform === 'linux' && isRunning(pid)) {
      if (performance.now() > end) throw new Error(`The process ${pid} did not stop.`)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  } catch (error) {
    if (!['ESRCH', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

// The state follows the name, which is in brackets.
const isRunning = (pid: number) =>
  readdirSync(`/proc/${pid}/task`).some(
    (thread) => !/\) [TtZX] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')),
  )
