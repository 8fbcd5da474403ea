// Makes and hashes access keys, security codes and tokens: random letters and digits that need no escaping. Secrets have more than
// 160 random bits, so a plain SHA-256 is enough; a slow password hash would only slow the service.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createBoundedCache } from '../platform/bounded-cache.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const prefixes = { accessKey: 'svc_ak_', securityCode: 'svc_sk_', token: 'svc_at_' } as const

// 24 characters have 142 random bits, 40 have 238.
export const makeAccessKey = () => prefixes.accessKey + randomText(24)
export const makeSecurityCode = () => prefixes.securityCode + randomText(40)
export const makeToken = () => prefixes.token + randomText(40)

export const looksLikeAccessKey = (text: string | null): text is string =>
  text !== null && /^svc_ak_[A-Za-z0-9]{20,64}$/.test(text)

// An access token ends with a tag made with the installation's token key, so that an invented token is recognised without asking
// the state. The tag grants nothing: the state must still hold the hash of the token.
const tagLength = 12

export function makeAccessToken(tokenKey: Uint8Array): string {
  const token = makeToken()
  return token + tagOf(token, tokenKey)
}

export const looksLikeToken = (text: string) => /^svc_at_[A-Za-z0-9]{52}$/.test(text)

// For a text that looks like a token.
export function isOurToken(text: string, tokenKey: Uint8Array): boolean {
  const tag = tagOf(text.slice(0, -tagLength), tokenKey)
  return timingSafeEqual(Buffer.from(tag), Buffer.from(text.slice(-tagLength)))
}

// Key and text have fixed lengths, which rules out length extension, so a plain hash is enough. It takes a tenth of the time of an
// HMAC, which matters in a flood.
const tagOf = (token: string, tokenKey: Uint8Array): string =>
  lettersOf(hash('sha256', Buffer.concat([tokenKey, Buffer.from(token)]), 'buffer')).slice(0, tagLength)

export const hashSecret = (secret: string): Uint8Array => hash('sha256', secret, 'buffer')

const mostHashes = 1000

// The hash of an access token of ours, undefined for another text. Tag and hash of the tokens that come again and again are made once;
// whether a token is valid is not remembered.
export function rememberHashes(): (text: string, tokenKey: Uint8Array) => Uint8Array | undefined {
  const hashes = createBoundedCache<string, Uint8Array>(mostHashes)
  let madeWith: Uint8Array | undefined
  return (text, tokenKey) => {
    if (tokenKey !== madeWith) hashes.clear()
    madeWith = tokenKey
    return hashes.get(text) ?? (isOurToken(text, tokenKey) ? hashes.set(text, hashSecret(text)) : undefined)
  }
}

function randomText(length: number): string {
  let text = ''
  while (text.length < length) text += lettersOf(randomBytes(length))
  return text.slice(0, length)
}

// Drops bytes that would favour some letters.
function lettersOf(bytes: Uint8Array): string {
  const fair = 256 - (256 % alphabet.length)
  let text = ''
  for (const byte of bytes) if (byte < fair) text += alphabet[byte % alphabet.length]
  return text
}
