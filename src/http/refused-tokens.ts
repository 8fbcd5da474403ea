// Access tokens of ours that the state refused within the last minute, because they are expired or revoked. Their callers count as
// callers without a token; once the window of the address is used up, the state is not asked again.
import type { Clock } from '../platform/clock.ts'
import { limits } from '../state/limits.ts'

const mostTokens = 10_000

// The address is included, because a key that is limited to addresses is refused only elsewhere.
const nameOf = (tokenHash: Uint8Array, address: string | null) =>
  `${Buffer.from(tokenHash).toString('latin1')}${address}`

export interface RefusedTokens {
  add(tokenHash: Uint8Array, address: string | null): void
  has(tokenHash: Uint8Array, address: string | null): boolean
}

export function rememberRefused(clock: Clock): RefusedTokens {
  // In the order of the last refusal.
  const refusedAt = new Map<string, number>()
  const isOver = (at: number) => Math.abs(clock.now() - at) >= limits.windowMs
  return {
    add(tokenHash, address) {
      const name = nameOf(tokenHash, address)
      refusedAt.delete(name)
      refusedAt.set(name, clock.now())
      for (const [oldest, at] of refusedAt) {
        if (refusedAt.size <= mostTokens && !isOver(at)) break
        refusedAt.delete(oldest)
      }
    },
    has(tokenHash, address) {
      if (refusedAt.size === 0) return false
      const at = refusedAt.get(nameOf(tokenHash, address))
      return at !== undefined && !isOver(at)
    },
  }
}
