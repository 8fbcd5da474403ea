// Closes what the benchmark has opened, in reverse order, whether it finishes, fails or is interrupted.

const closers: (() => Promise<unknown>)[] = []

export function atEnd(close: () => Promise<unknown>): void {
  closers.push(close)
}

/** Closes everything, even if one part fails, and then throws the first error. */
export async function endAll(): Promise<void> {
  const faults: unknown[] = []
  for (let next = closers.pop(); next; next = closers.pop()) {
    await next().catch((error: unknown) => faults.push(error))
  }
  if (faults.length > 0) throw faults[0]
}
