// Rotation: a new security code beside the current one, which ends after an overlap, so that an integrator can switch without a gap.
// Tokens stay valid.
import { hashSecret, makeSecurityCode } from '../auth/secrets.ts'
import type { Key, State } from '../state/state.ts'
import { keyFault, type InputFault } from './faults.ts'
import { missingKeyFault, type OrFaults, type NewKey } from './keys.ts'

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
export const usualOverlap = '24h'
const [shortest, longest] = ['1m', '30d']

function readOverlapMs(text: string): number | undefined {
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,5})([mhd])$/.exec(text.trim()) ?? []
  return unit === '' ? undefined : Number(count) * unitMs[unit as keyof typeof unitMs]
}

export function overlapFaults(text: string): InputFault[] {
  const ms = readOverlapMs(text)
  const isWithin = ms !== undefined && ms >= Number(readOverlapMs(shortest)) && ms <= Number(readOverlapMs(longest))
  return isWithin ? [] : [keyFault('overlap.invalid', { given: text, least: shortest, most: longest })]
}

export async function rotateKey(
  state: State,
  accessKey: string,
  overlap = usualOverlap,
  by?: string,
): Promise<OrFaults<NewKey>> {
  const faults = overlapFaults(overlap)
  if (faults.length > 0) return { faults }
  const securityCode = makeSecurityCode()
  const key = await state.rotateKey(accessKey, hashSecret(securityCode), readOverlapMs(overlap) ?? 0, by)
  if (key === null) return { faults: [await missingKeyFault(state, accessKey)] }
  if (key !== 'under rotation') return { key, securityCode }
  const until = (await state.findKey(accessKey))?.oldCodeUntil ?? 0
  return { faults: [keyFault('rotation_under_way', { key: accessKey, until: new Date(until).toISOString() })] }
}

export async function finishRotation(state: State, accessKey: string, by?: string): Promise<OrFaults<{ key: Key }>> {
  const key = await state.finishRotation(accessKey, by)
  if (key) return { key }
  const known = await state.findKey(accessKey)
  const isLive = known?.revokedAt === null
  return { faults: [isLive ? keyFault('no_rotation', { key: accessKey }) : await missingKeyFault(state, accessKey)] }
}

// null: no rotation is under way, or the key is revoked.
export const oldCodeUntil = ({ oldCodeUntil: until, revokedAt }: Key, now: number): number | null =>
  until !== null && now < until && revokedAt === null ? until : null
