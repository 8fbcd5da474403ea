// Permissions that a key has not used for thirty days: an administrator may want to remove them.
import type { Permission } from '../catalogue/access.ts'
import { inPermissionOrder } from '../catalogue/permissions.ts'
import type { Key, LastUse, State } from '../state/state.ts'
import { isExpired } from './expiry.ts'

export const unusedDays = 30
const dayMs = 86_400_000

interface UnusedOfKey {
  readonly key: Key
  readonly permissions: readonly Permission[]
}

// Active keys with unused permissions.
export async function listUnused(state: State, now: number): Promise<UnusedOfKey[]> {
  const [keys, lastUse] = await Promise.all([state.listKeys(), state.listLastUse('permissions', null)])
  const ofKey = Map.groupBy(lastUse, ({ accessKey }) => accessKey)
  return keys
    .map((key) => ({ key, permissions: unusedOf(key, ofKey.get(key.accessKey) ?? [], now) }))
    .filter(({ permissions }) => permissions.length > 0)
}

// `lastUse` is that of this key. A permission without an entry was given when the key was created.
export function unusedOf(key: Key, lastUse: readonly LastUse[], now: number): Permission[] {
  if (key.revokedAt !== null || key.isDisabled || isExpired(key, now)) return []
  const usedAt = new Map(lastUse.map(({ permission, at }) => [permission, at]))
  const isIdle = (permission: Permission) => (usedAt.get(permission) ?? key.createdAt) <= now - unusedDays * dayMs
  return inPermissionOrder(key.permissions.filter(isIdle))
}
