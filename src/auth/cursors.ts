// Cursors of the change feed: a position, encrypted and authenticated, in a text that always has the same length. A cursor belongs to one
// path and one access key; another one's cannot be opened. What the key could see is inside, to be compared with what it may see now.
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
// The longest text of a position; a cursor then has 512 characters.
const contentBytes = 356
const cursorLength = 512

// Makes the key of cursors from the secret in the state.
export const cursorKey = (secret: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', 'vitrine cursors', 32))

export function sealCursor(key: Uint8Array, boundTo: string, content: string): string {
  const padded = Buffer.alloc(contentBytes, ' ')
  if (padded.write(content) < Buffer.byteLength(content)) throw new Error('the position is too long for a cursor')
  const nonce = randomBytes(nonceBytes)
  const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(boundTo))
  const sealed = [nonce, sealing.update(padded), sealing.final(), sealing.getAuthTag()]
  return Buffer.concat(sealed).toString('base64url')
}

// Undefined if it was not sealed with this key for this binding.
export function openCursor(key: Uint8Array, boundTo: string, cursor: string): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url')
  if (cursor.length !== cursorLength || bytes.length !== nonceBytes + contentBytes + tagBytes) return undefined
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
  opening.setAAD(Buffer.from(boundTo)).setAuthTag(bytes.subarray(-tagBytes))
  try {
    const content = [opening.update(bytes.subarray(nonceBytes, -tagBytes)), opening.final()]
    return Buffer.concat(content).toString().trimEnd()
  } catch {
    return undefined
  }
}

// Short: two accesses that differ have different digests.
export const digestOf = (text: string) => hash('sha256', text, 'base64url').slice(0, 22)
