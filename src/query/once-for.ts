// Remembers the result of a function for each object, for as long as the object is in use.

export function onceFor<Key extends object, Result>(compute: (key: Key) => Result): (key: Key) => Result {
  const results = new WeakMap<Key, Result>()
  return (key) => {
    let result = results.get(key)
    if (result === undefined) results.set(key, (result = compute(key)))
    return result
  }
}
