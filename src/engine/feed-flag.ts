// Whether the database has a change feed. The journal may be made or removed, and a standby may become the primary, at any time. A "yes"
// is renewed in the background when it is asked for: the reader that is then asked for changes knows better. A "no" is believed for a
// moment only, because whoever is told so gives up following, or follows in a way that misses deletions.
import type { ChangesAnswer } from './feed.ts'

const renewAfterMs = 1000

export function createFeedFlag(look: () => Promise<boolean>, nowMs = () => performance.now()) {
  let isThere = true
  let lookedAt = -Infinity
  let looking: Promise<boolean> | undefined

  const lookAgain = async () => {
    // A database that does not answer says neither.
    isThere = await look().catch(() => isThere)
    lookedAt = nowMs()
    looking = undefined
    return isThere
  }
  return {
    set(found: boolean): void {
      isThere = found
    },
    // A caller who is told that a cursor has expired begins again at once.
    async seenIn(answer: Promise<ChangesAnswer>): Promise<ChangesAnswer> {
      const found = await answer
      isThere = found !== 'none'
      return found
    },
    // As a promise where it has to be looked at first.
    isThere(): boolean | Promise<boolean> {
      if (nowMs() - lookedAt <= renewAfterMs) return isThere
      looking ??= lookAgain()
      return isThere || looking
    },
  }
}
