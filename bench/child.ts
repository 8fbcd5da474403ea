// A child process of the benchmark that answers one message at a time: the parent's side and the child's side.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { cleanEnvironment } from '../test/support/process.ts'
import { atEnd } from './ending.ts'

type Reply<Answer> = { readonly answer: Answer } | { readonly failed: string }

export interface Child<Question, Answer> {
  ask(question: Question): Promise<Answer>
  close(): Promise<void>
}

/** `niceness` lowers the priority of the process; 19 is the lowest. */
export function startChild<Question, Answer>(file: URL, niceness = 0): Child<Question, Answer> {
  const child = fork(file, { serialization: 'advanced', env: cleanEnvironment() })
  if (niceness > 0 && child.pid !== undefined) setPriority(child.pid, niceness)
  const ended = once(child, 'exit')
  let waiting: PromiseWithResolvers<Answer> | undefined
  child.on('message', (reply: Reply<Answer>) => {
    if ('answer' in reply) waiting?.resolve(reply.answer)
    else waiting?.reject(new Error(reply.failed))
  })
  child.on('exit', (status, signal) => waiting?.reject(new Error(`${file.pathname} ended (${signal ?? status})`)))
  const close = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    if (child.connected) child.disconnect()
    await ended
  }
  atEnd(close)
  return {
    close,
    ask(question) {
      waiting = Promise.withResolvers<Answer>()
      child.send(question as object)
      return waiting.promise
    },
  }
}

function reply(message: Reply<unknown>): void {
  if (process.connected) process.send?.(message)
}

/** In the child: answers until the parent disconnects or dies, then tidies up and ends. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the type of the parent's messages
export function answerParent<Question>(
  answer: (question: Question) => Promise<unknown>,
  tidyUp: () => Promise<void> | void = () => {},
): void {
  process.on('message', (question: Question) => {
    answer(question).then(
      (value) => reply({ answer: value }),
      (error: unknown) => reply({ failed: error instanceof Error ? error.message : String(error) }),
    )
  })
  // Ctrl-C reaches every process of the terminal; the parent decides when to end.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  process.on('disconnect', () => {
    void Promise.resolve(tidyUp()).finally(() => process.exit())
  })
}
