// The administrators' password. People choose it, so it is derived slowly (scrypt): whoever steals the state has to try.
import { randomBytes, scrypt } from 'node:crypto'
import type { Fault } from '../keys/faults.ts'
import type { Password } from '../state/state.ts'
import { consoleFault } from './faults.ts'

const length = 32
// 32 MB and some 50 ms for each try.
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const fewest = 12
const most = 200

export function passwordFaults(text: string): Fault[] {
  if (text.length < fewest) return [consoleFault('password_short', { fewest })]
  if (text.length > most) return [consoleFault('password_long', { most })]
  return new Set(text).size < 4 ? [consoleFault('password_simple')] : []
}

// For whoever is at this address.
export async function makePassword(text: string, address = ''): Promise<Password> {
  const salt = randomBytes(16)
  return { salt, hash: await derivePassword(text, salt, address) }
}

// It takes memory and a core for a while: nobody may have it done often at a time, and nobody keep the others from it.
export class TooManyAtOnce extends Error {}
const mostAtOnce = 8
const mostOfAddress = 2
const underWay: string[] = []

// Without a salt there is no password; deriving one all the same takes as long.
export async function derivePassword(text: string, salt: Uint8Array | null, address = ''): Promise<Uint8Array> {
  const own = underWay.filter((each) => each === address)
  if (underWay.length >= mostAtOnce || own.length >= mostOfAddress) throw new TooManyAtOnce()
  underWay.push(address)
  try {
    return await derive(text, salt)
  } finally {
    underWay.splice(underWay.indexOf(address), 1)
  }
}

const derive = (text: string, salt: Uint8Array | null): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    // The same letters, however the keyboard composes them.
    scrypt(text.normalize('NFC').slice(0, most), salt ?? new Uint8Array(16), length, cost, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })
