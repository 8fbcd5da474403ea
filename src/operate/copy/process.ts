// The process that copies beside the service. One call says what to copy; every round is then reported, until the process is ended.
import { systemClock } from '../../platform/clock.ts'
import { lowerPriority } from '../../platform/priority.ts'
import { answerCalls, emitEvent } from '../../platform/thread.ts'
import type { DatabaseUrl } from '../../settings/types.ts'
import { keepCopying, type LoopOptions } from './loop.ts'

export interface CopyCall extends Omit<LoopOptions, 'signal' | 'clock' | 'onEvent'> {
  readonly url: DatabaseUrl
}

lowerPriority()
answerCalls(async (request) => {
  const { url, ...options } = request as CopyCall
  const { signal } = new AbortController()
  await keepCopying(url, { ...options, signal, clock: systemClock, onEvent: emitEvent })
  return { result: undefined }
})
