// A state that knows whether it works: it answers, and the last write succeeded. A file that is locked, or whose disk is full,
// can still be read, but issues no tokens.
import type { Availability } from '../platform/log.ts'
import { stateMethods } from './methods.ts'
import type { State } from './state.ts'
import type { Usage } from './usage.ts'

export interface WatchedState extends State {
  // Reads from the state. If the last write failed, writes an empty entry.
  isHealthy(): Promise<boolean>
}

// An hour so old that no list shows it and the next sweep deletes it.
const emptyUsage: Usage = { hour: 0, accessKey: '', resource: '', outcome: 'answered', requests: 0, records: 0 }

type AnyMethod = (...parameters: readonly unknown[]) => Promise<unknown>

export function watchState(state: State, availability: Availability): WatchedState {
  const works = { read: true, write: true }
  let isClosed = false
  const watch = async <Answer>(
    kind: 'read' | 'write',
    answering: Promise<Answer>,
    isProof: (answer: Answer) => boolean = () => true,
  ): Promise<Answer> => {
    try {
      const answer = await answering
      if (isProof(answer)) works[kind] = true
      if (works.read && works.write) availability.back()
      return answer
    } catch (cause) {
      works[kind] = false
      if (!isClosed) availability.lost(cause)
      throw cause
    }
  }
  const methods = state as unknown as Readonly<Record<string, AnyMethod>>
  const watched: Record<string, AnyMethod> = {}
  for (const [name, { shows, isProof }] of Object.entries(stateMethods)) {
    const method = methods[name]
    if (method && shows) watched[name] = (...parameters) => watch(shows, method(...parameters), isProof)
  }
  return {
    ...state,
    ...watched,
    async isHealthy() {
      await watch('read', state.isEnabled())
      if (!works.write) await watch('write', state.addUsage([emptyUsage]))
      return works.read && works.write
    },
    async close() {
      isClosed = true
      await state.close()
    },
  }
}
