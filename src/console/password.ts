// The administrators' password. People choose it, so it is derived slowly (scrypt): whoever steals the state has to try.
import { randomBytes, scrypt } from 'node:crypto'
import type { Password } from '../state/state.ts'

const length = 32
// 32 MB and some 50 ms for each try.
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const fewest = 12
const most = 200

export function passwordFaults(text: string): string[] {
  if (text.length < fewest) return [`The password needs ${fewest} characters or more.`]
  if (text.length > most) return [`The password has ${most} characters at most.`]
  return new Set(text).size < 4 ? ['The password needs more than three different characters.'] : []
}

export async function makePassword(text: string): Promise<Password> {
  const salt = randomBytes(16)
  return { salt, hash: await derivePassword(text, salt) }
}

// Without a salt there is no password; deriving one all the same takes as long.
export const derivePassword = (text: string, salt: Uint8Array | null): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    // The same letters, however the keyboard composes them.
    scrypt(text.normalize('NFC').slice(0, most), salt ?? new Uint8Array(16), length, cost, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })
