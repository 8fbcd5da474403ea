// What has become of a key: the first of these that is true of it.
import type { Key } from '../state/state.ts'
import { isExpired } from './expiry.ts'

export const keyState = (key: Key, now: number): 'revoked' | 'expired' | 'disabled' | 'active' =>
  key.revokedAt !== null ? 'revoked' : isExpired(key, now) ? 'expired' : key.isDisabled ? 'disabled' : 'active'
