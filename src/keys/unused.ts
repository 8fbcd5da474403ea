// Permissions that a key has had for a while and never used: whoever hands out keys may want to take them back.
import { inPermissionOrder, type Permission } from '../catalogue/access.ts'
import type { Key, State } from '../state/state.ts'

export const unusedDays = 30
const dayMs = 86_400_000

export interface UnusedOfKey {
  readonly key: Key
  readonly permissions: readonly Permission[]
}

// Of keys that can be used, those that have any.
export async function listUnused(state: State, now: number): Promise<UnusedOfKey[]> {
  const [keys, lastUse] = await Promise.all([state.listKeys(), state.listLastUse('permissions')])
  const idle = new Map<string, string[]>()
  for (const { accessKey, permission, hour } of lastUse)
    if (hour <= now - unusedDays * dayMs) idle.set(accessKey, [...(idle.get(accessKey) ?? []), permission])
  return keys
    .filter((key) => key.revokedAt === null && !key.isDisabled)
    .map((key) => {
      const left = new Set(idle.get(key.accessKey))
      return { key, permissions: inPermissionOrder(key.permissions.filter((permission) => left.has(permission))) }
    })
    .filter(({ permissions }) => permissions.length > 0)
}
