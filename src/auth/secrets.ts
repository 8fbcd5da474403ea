// Access keys, security codes and tokens: random, in letters and digits that need no escaping anywhere, and their hashes.
// They have more than 160 random bits, so a plain SHA-256 is right; a slow password hash would only slow the service.
import { hash, randomBytes } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const prefixes = { accessKey: 'svc_ak_', securityCode: 'svc_sk_', token: 'svc_at_' } as const

// 24 characters are 142 bits, enough for a name nobody guesses; 40 are 238 bits.
export const makeAccessKey = () => prefixes.accessKey + randomText(24)
export const makeSecurityCode = () => prefixes.securityCode + randomText(40)
export const makeToken = () => prefixes.token + randomText(40)

export const looksLikeAccessKey = (text: string | null): text is string =>
  text !== null && /^svc_ak_[A-Za-z0-9]{20,64}$/.test(text)

export const looksLikeToken = (text: string) => /^svc_at_[A-Za-z0-9]{40}$/.test(text)

export const hashSecret = (secret: string): Uint8Array => hash('sha256', secret, 'buffer')

// Callers put secrets in the wrong place now and then, such as a path, where each letter may be escaped: what is logged or
// repeated to them goes through here. A text without one stays as it is.
export function withoutSecrets(text: string): string {
  const read = text.includes('%') ? text.replaceAll(/%[2-7][0-9a-f]/gi, (escape) => unescape(escape)) : text
  return read.search(secretText) === -1 ? text : read.replaceAll(secretText, 'svc_$1_***')
}

const secretText = /svc_(sk|at)_[A-Za-z0-9]+/gi
const unescape = (escape: string) => String.fromCharCode(Number.parseInt(escape.slice(1), 16))

// Bytes that would favour some letters are thrown away.
function randomText(length: number): string {
  const fair = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < fair && text.length < length) text += alphabet[byte % alphabet.length]
    }
  }
  return text
}
