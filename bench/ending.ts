// What has to be ended when the benchmark ends, however that comes: in reverse, each once.

const closers: (() => Promise<unknown>)[] = []

export function atEnd(close: () => Promise<unknown>): void {
  closers.push(close)
}

/** All of them, also when one fails; then the first failure. */
export async function endAll(): Promise<void> {
  const faults: unknown[] = []
  for (let next = closers.pop(); next; next = closers.pop()) {
    await next().catch((error: unknown) => faults.push(error))
  }
  if (faults.length > 0) throw faults[0]
}
