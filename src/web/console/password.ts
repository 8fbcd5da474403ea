// The administrators' password. People choose it, so it is derived slowly (scrypt): whoever steals the state has to try.
import { randomBytes, scrypt } from 'node:crypto'
import type { Fault } from '../../keys/faults.ts'
import type { Password } from '../../state/state.ts'
import { consoleFault } from './faults.ts'

const length = 32
// 32 MB and some 100 ms of a core for each try.
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

// It takes memory and a core for a while: one is derived at a time, so that no flood of passwords takes the processor from the
// callers of the API. The others stand in line, in a short one, and nobody twice behind themselves.
export class TooManyInLine extends Error {}
const mostInLine = 16
const mostOfAddress = 2
const inLine: string[] = []
let last: Promise<unknown> = Promise.resolve()

// Without a salt there is no password; deriving one all the same takes as long.
export async function derivePassword(text: string, salt: Uint8Array | null, address = ''): Promise<Uint8Array> {
  const own = inLine.filter((each) => each === address)
  if (inLine.length >= mostInLine || own.length >= mostOfAddress) throw new TooManyInLine()
  inLine.push(address)
  const derived = last.then(() => derive(text, salt))
  last = derived.catch(() => {})
  try {
    return await derived
  } finally {
    inLine.splice(inLine.indexOf(address), 1)
  }
}

const derive = (text: string, salt: Uint8Array | null): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    // The same letters, however the keyboard composes them.
    scrypt(text.normalize('NFC').slice(0, most), salt ?? new Uint8Array(16), length, cost, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })
