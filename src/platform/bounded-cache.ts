// A cache that keeps the `limit` entries that were used last, and at most twice as many. It has two halves: when the young one is full, the
// old one is dropped, and what is used again moves to the young one. (A cache that drops entries one by one takes three times as long.)

export interface BoundedCache<Key, Value> {
  get(key: Key): Value | undefined
  // Returns the value.
  set(key: Key, value: Value): Value
  clear(): void
}

export function createBoundedCache<Key, Value>(limit: number): BoundedCache<Key, Value> {
  let young = new Map<Key, Value>()
  let old = new Map<Key, Value>()
  const set = (key: Key, value: Value): Value => {
    if (young.size >= limit) {
      old = young
      young = new Map()
    }
    young.set(key, value)
    return value
  }
  return {
    set,
    get(key) {
      const value = young.get(key)
      if (value !== undefined) return value
      const older = old.get(key)
      return older === undefined ? undefined : set(key, older)
    },
    clear() {
      young.clear()
      old.clear()
    },
  }
}
