// Whether the database has a change feed, as it was last seen. The journal may be made or removed at any time, so the flag is renewed in
// the background whenever it is asked for. Until it is known it says yes: the reader that is then asked knows.

const renewAfterMs = 1000

export function createFeedFlag(look: () => Promise<boolean>) {
  let isThere = true
  let lookedAt = -Infinity
  const set = (found: boolean) => {
    isThere = found
  }
  return {
    set,
    isThere(): boolean {
      if (performance.now() - lookedAt > renewAfterMs) {
        lookedAt = performance.now()
        look().then(set, () => {})
      }
      return isThere
    },
  }
}
