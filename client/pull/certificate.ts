// Trusts one more certificate: that of a service for development, or of a company's own authority.
import { readFileSync } from 'node:fs'
import tls from 'node:tls'

export function trust(path: string): void {
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), readFileSync(path, 'utf8')])
}
