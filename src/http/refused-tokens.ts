// Access tokens of ours that the state has refused lately: expired and revoked ones. Whoever sends one again counts as a
// caller without a token, and once the window of its address is used up the state is not asked any more.
import type { Clock } from '../platform/clock.ts'
import { limits } from '../state/limits.ts'

// More than this within a minute: the oldest are forgotten, and looked up once more.
const mostRemembered = 10_000

// By the address as well: a key may be limited to some, and its token is refused elsewhere alone.
const nameOf = (tokenHash: Uint8Array, address: string | null) =>
  `${Buffer.from(tokenHash).toString('latin1')}${address}`

export interface RefusedTokens {
  add(tokenHash: Uint8Array, address: string | null): void
  has(tokenHash: Uint8Array, address: string | null): boolean
}

export function rememberRefused(clock: Clock): RefusedTokens {
  // In the order in which they were last refused.
  const refusedAt = new Map<string, number>()
  const isOver = (at: number) => Math.abs(clock.now() - at) >= limits.windowMs
  return {
    add(tokenHash, address) {
      const name = nameOf(tokenHash, address)
      refusedAt.delete(name)
      refusedAt.set(name, clock.now())
      for (const [oldest, at] of refusedAt) {
        if (refusedAt.size <= mostRemembered && !isOver(at)) break
        refusedAt.delete(oldest)
      }
    },
    has(tokenHash, address) {
      const at = refusedAt.get(nameOf(tokenHash, address))
      return at !== undefined && !isOver(at)
    },
  }
}
