// The administrators' password: rules, and its slow hash (scrypt), because people choose weak ones and the state may be stolen.
import { randomBytes, scrypt } from 'node:crypto'
import type { InputFault } from '../../keys/faults.ts'
import type { Password } from '../../state/console-access.ts'
import { consoleFault } from './faults.ts'

const length = 32
// 32 MB and about 100 ms of a core for each attempt.
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const fewest = 12
const most = 200

// `repeat`: what was typed a second time.
export const passwordFaults = (text: string, repeat = text): InputFault[] => [
  ...ruleFaults(text),
  ...(repeat === text ? [] : [consoleFault('repeat.different')]),
]

function ruleFaults(text: string): InputFault[] {
  if (text.length < fewest) return [consoleFault('password.short', { fewest })]
  if (text.length > most) return [consoleFault('password.long', { most })]
  return new Set(text).size < 4 ? [consoleFault('password.simple')] : []
}

export async function makePassword(text: string, address = ''): Promise<Password> {
  const salt = randomBytes(16)
  return { salt, hash: await derivePassword(text, salt, address) }
}

// One hash at a time, so that a flood of passwords does not take the processor from callers of the API. The queue is short, and
// bounded for each address.
export class PasswordQueueFull extends Error {}
const mostQueued = 16
const mostOfAddress = 2
const queue: string[] = []
let last: Promise<unknown> = Promise.resolve()

// Takes the same time without a salt (no such account), so that the time reveals nothing.
export async function derivePassword(text: string, salt: Uint8Array | null, address = ''): Promise<Uint8Array> {
  const own = queue.filter((each) => each === address)
  if (queue.length >= mostQueued || own.length >= mostOfAddress) throw new PasswordQueueFull()
  queue.push(address)
  const derived = last.then(() => derive(text, salt))
  last = derived.catch(() => {})
  try {
    return await derived
  } finally {
    queue.splice(queue.indexOf(address), 1)
  }
}

const derive = (text: string, salt: Uint8Array | null): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    // NFC: keyboards compose the same letters differently.
    scrypt(text.normalize('NFC').slice(0, most), salt ?? new Uint8Array(16), length, cost, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })
