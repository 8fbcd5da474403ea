// An error → a sentence that says what to do.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import { secondsText, VitrineError } from '../errors.ts'
import { targetText, type PullOptions } from './options.ts'
import { IsBusy, IsForeign } from './database.ts'

const again = 'The next run continues from what is stored.'

export function explain(error: unknown, { target, clientId, certificate }: PullOptions): string {
  const to = targetText(target)
  if (error instanceof VitrineError) return explainRefusal(error, clientId)
  if (error instanceof IsBusy)
    return `Another run is writing to ${to}: wait until it is done, or name another place with --to.`
  if (error instanceof IsForeign)
    return `${to} holds tables that are not a mirror's of this version: name another place with --to. Nothing was changed.`
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || /disk is full/.test(message)) return `The disk with ${to} is full: make room. ${again}`
  if (/file is not a database/.test(message))
    return `${to} exists, but is not a SQLite file: name another place with --to.`
  if (error instanceof CannotTrust) return `--ca names ${certificate}, which cannot be used: ${message}.`
  if (/password must be a string/.test(message)) return `${to} requires a password: set PGPASSWORD.`
  const sentence = message.replace(/[.?!]$/, '')
  return code === undefined ? `It failed: ${sentence}.` : `${to} cannot be written: ${sentence}.`
}

function explainRefusal(error: VitrineError, clientId: string): string {
  const id = error.requestId === null ? '' : ` (request ${error.requestId})`
  switch (error.code) {
    case 'invalid_client':
      return `The service does not know the access key ${clientId} with this security code. Check both; the administrator can make a new code.`
    case 'invalid_token':
      return `The service refuses the key ${clientId}: it was revoked or changed while this ran. ${again}`
    case 'too_many_attempts':
      return `The service has blocked this machine after repeated failures to sign in, for another ${secondsText(error.retryAfterSeconds ?? 900)}. Check the key and its code before the next try.`
    case 'insufficient_scope':
      return `The key may no longer read this: ${error.message} ${again}`
    case 'api_not_enabled':
      return `The company's subscription to the API is off: its administrator can turn it on. ${again}`
    case 'network_error':
      return `${error.message}${/certificate|self.signed/i.test(error.message) ? ' Name the certificate to trust with --ca.' : ''} ${again}`
    default:
      return `${error.message}${id} ${again}`
  }
}

class CannotTrust extends Error {}

// Trusts one more certificate: of a development service, or of a company's own authority.
export function trust(path: string): void {
  try {
    const certificate = readFileSync(path, 'utf8')
    // Throws if it is no certificate, which TLS would silently ignore.
    void new X509Certificate(certificate)
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate])
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new CannotTrust(code?.startsWith('ERR_OSSL') ? 'it is no certificate in PEM format' : message)
  }
}
