// Tells when nobody waits any more for requests that are answered together.

interface Waiting {
  readonly signal: AbortSignal | undefined
}

export function whenAllHangUp(group: readonly Waiting[], tell: () => void): void {
  let left = group.length
  for (const { signal } of group) {
    // Of one that has no signal nobody can tell.
    signal?.addEventListener('abort', () => (left -= 1) === 0 && tell(), { once: true })
  }
}
