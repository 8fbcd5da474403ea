// A long job under a progress bar on stderr; where JSON is asked for, in silence.
import process from 'node:process'
import type { Output } from './output.ts'
import { progressBar, type Progress } from '../../client/pull/progress.ts'

export async function withProgress<Result>(
  output: Output,
  run: (onProgress: (step: Progress) => void, remark: (text: string) => void) => Promise<Result>,
): Promise<Result> {
  const bar = progressBar({ stream: process.stderr, quiet: output.isJson })
  try {
    const result = await run(
      (step) => bar.update(step),
      (text) => {
        bar.clear()
        output.remark(text)
      },
    )
    bar.finish()
    return result
  } catch (error) {
    bar.clear()
    throw error
  }
}
