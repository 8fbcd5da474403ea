// What `import` and `copy` share: how a signal ends them, and how faults are shown.
import process from 'node:process'
import { OperatorError } from '../errors.ts'
import { faultText, type Faults } from '../operate/import/files.ts'
import type { ImportOptions } from '../operate/import/run.ts'
import { withProgress, type Output } from './output.ts'

// `hint`: how to see more of them.
export function refusal({ first, count }: Faults, output: Output, hint = ''): OperatorError {
  if (output.isJson) output.result({ faults: first, count }, '')
  else for (const fault of first) output.remark(faultText(fault))
  const rest = count - first.length
  const more = rest > 0 ? ` (${whole(rest)} more are not shown${hint})` : ''
  return new OperatorError(`${whole(count)} ${count === 1 ? 'fault' : 'faults'}${more}: nothing was changed.`, 1)
}

export const whole = (count: number) => count.toLocaleString('en-US')

type RunOptions = Pick<ImportOptions, 'onProgress' | 'remark' | 'signal' | 'onCommit'>

// With a progress bar. Until the commit, a signal rolls the import back. After it, a signal ends the program as usual.
export async function untilInterrupted<Result>(
  output: Output,
  run: (options: RunOptions) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const removeHandlers = () => {
    for (const signal of signals) process.off(signal, onSignal)
  }
  for (const signal of signals) process.on(signal, onSignal)
  try {
    return await withProgress(output, (onProgress, remark) =>
      run({ onProgress, remark, signal: stop.signal, onCommit: removeHandlers }),
    )
  } catch (error) {
    // The signal is checked before the commit, so nothing was committed.
    if (stop.signal.aborted) throw new OperatorError('Interrupted: nothing was changed.', 1)
    throw error
  } finally {
    removeHandlers()
  }
}
