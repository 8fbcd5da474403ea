// A cache of at most `limit` entries. When it is full, it drops the entry that was used least recently.

interface LruCache<Key, Value> {
  get(key: Key): Value | undefined
  // Returns the value.
  set(key: Key, value: Value): Value
  clear(): void
}

export function createLruCache<Key, Value>(limit: number): LruCache<Key, Value> {
  // In the order of use: a map keeps the order of insertion.
  const entries = new Map<Key, Value>()
  const touch = (key: Key, value: Value) => {
    entries.delete(key)
    entries.set(key, value)
  }
  return {
    get(key) {
      const value = entries.get(key)
      if (value !== undefined) touch(key, value)
      return value
    },
    set(key, value) {
      touch(key, value)
      for (const oldest of entries.keys()) {
        if (entries.size <= limit) break
        entries.delete(oldest)
      }
      return value
    },
    clear: () => entries.clear(),
  }
}
