// Trusts one more certificate: that of a service for development, or of a company's own authority.
import { readFileSync } from 'node:fs'
import tls from 'node:tls'

export class CannotTrust extends Error {}

export function trust(path: string): void {
  try {
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), readFileSync(path, 'utf8')])
  } catch (error) {
    throw new CannotTrust((error as Error).message)
  }
}
