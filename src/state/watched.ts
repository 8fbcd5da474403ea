// A state of which it is known whether it can do its work: it answers, and it took the last thing that was written to it. A file that
// is locked, or whose disk is full, can be read all the same, and nobody signs in.
import type { Availability } from '../platform/log.ts'
import type { State, Usage } from './state.ts'

export interface WatchedState extends State {
  // Asks it. If the last write failed, writes something that nobody reads.
  isWhole(): Promise<boolean>
}

// The use of an hour that is long past: it is in no list, and is forgotten with the others of its age.
const nothing: Usage = { hour: 0, accessKey: '', requests: 0, records: 0, refusals: 0 }

const isDone = (answer: unknown) => answer !== null && answer !== 0 && answer !== false && typeof answer !== 'string'

export function watchState(state: State, availability: Availability): WatchedState {
  const works = { read: true, write: true }
  let isClosed = false
  const see = async <Answer>(
    kind: 'read' | 'write',
    answering: Promise<Answer>,
    proves: (answer: Answer) => boolean = () => true,
  ): Promise<Answer> => {
    try {
      const answer = await answering
      if (proves(answer)) works[kind] = true
      if (works.read && works.write) availability.back()
      return answer
    } catch (cause) {
      works[kind] = false
      if (!isClosed) availability.lost(cause)
      throw cause
    }
  }
  return {
    ...state,
    admit: (...given) => see('read', state.admit(...given)),
    isEnabled: () => see('read', state.isEnabled()),
    // Other outcomes write little or nothing.
    requestToken: (attempt) =>
      see('write', state.requestToken(attempt), ({ is }) => is === 'granted' || is === 'refused'),
    revokeToken: (attempt) =>
      see('write', state.revokeToken(attempt), ({ is }) => is === 'granted' || is === 'refused'),
    addUsage: (...given) => see('write', state.addUsage(...given)),
    signIn: (...given) => see('write', state.signIn(...given), ({ is }) => is !== 'slowed'),
    changePassword: (...given) => see('write', state.changePassword(...given), ({ is }) => is !== 'slowed'),
    createKey: (...given) => see('write', state.createKey(...given)),
    updateKey: (...given) => see('write', state.updateKey(...given), isDone),
    regenerateKey: (...given) => see('write', state.regenerateKey(...given), isDone),
    rotateKey: (...given) => see('write', state.rotateKey(...given), isDone),
    finishRotation: (...given) => see('write', state.finishRotation(...given), isDone),
    revokeKey: (...given) => see('write', state.revokeKey(...given), isDone),
    setEnabled: (...given) => see('write', state.setEnabled(...given), () => false),
    clearBlocks: (...given) => see('write', state.clearBlocks(...given), isDone),
    setPassword: (...given) => see('write', state.setPassword(...given)),
    useLink: (...given) => see('write', state.useLink(...given), isDone),
    endSession: (...given) => see('write', state.endSession(...given), () => false),
    endSessions: (...given) => see('write', state.endSessions(...given)),

    async isWhole() {
      await see('read', state.isEnabled())
      if (!works.write) await see('write', state.addUsage([nothing]))
      return works.read && works.write
    },
    async close() {
      isClosed = true
      await state.close()
    },
  }
}
