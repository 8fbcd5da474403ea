// The certificate of the TLS listener: from files, read again when they change, or self-signed for development.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, unwatchFile, watchFile, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { OperatorError } from '../errors.ts'
import { makeSelfSigned } from './self-signed.ts'

export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

const validDays = 825
const renewDays = 30
const dayMs = 86_400_000

// One sentence for whatever is wrong with the files.
export function readCertificate(files: CertificateFiles): Certificate {
  const certificate = {
    cert: readFile(files.cert, 'VITRINE_TLS_CERT'),
    key: readFile(files.key, 'VITRINE_TLS_KEY'),
  }
  try {
    const leaf = new X509Certificate(certificate.cert)
    if (!leaf.checkPrivateKey(createPrivateKey(certificate.key)))
      throw new Error('the private key does not belong to the certificate')
    createSecureContext(certificate)
  } catch (error) {
    throw new OperatorError(
      `The certificate ${files.cert} with the key ${files.key} cannot be used: ${(error as Error).message}.`,
    )
  }
  return certificate
}

function readFile(path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new OperatorError(`${setting} names ${path}, which cannot be read: ${(error as Error).message}.`)
  }
}

// Calls back when the files hold another certificate that can be used; says so when it cannot.
export function watchCertificate(
  files: CertificateFiles,
  onChange: (certificate: Certificate) => void,
  onProblem: (problem: string) => void,
  intervalMs = 1000,
): () => void {
  let current = JSON.stringify(readCertificate(files))
  const look = () => {
    try {
      const next = readCertificate(files)
      if (JSON.stringify(next) === current) return
      current = JSON.stringify(next)
      onChange(next)
    } catch (error) {
      onProblem((error as Error).message)
    }
  }
  // Looking at the time of the files also sees renames and links, which is how certificates are usually renewed.
  for (const path of [files.cert, files.key]) watchFile(path, { interval: intervalMs, persistent: false }, look)
  return () => {
    for (const path of [files.cert, files.key]) unwatchFile(path, look)
  }
}

// Made once and kept, so that a client which was told to trust it goes on doing so.
export function developmentCertificate(
  dataDir: string,
  host: string,
  now: number,
): CertificateFiles & { isNew: boolean } {
  const files = { cert: join(dataDir, 'development-cert.pem'), key: join(dataDir, 'development-key.pem') }
  if (existsSync(files.cert) && existsSync(files.key)) {
    const { validToDate } = new X509Certificate(readFileSync(files.cert))
    if (validToDate.getTime() - now > renewDays * dayMs) return { ...files, isNew: false }
  }
  const names = [...new Set(['localhost', '127.0.0.1', '::1', host])]
  const { cert, key } = makeSelfSigned({ names, days: validDays, now: new Date(now) })
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(files.key, key, { mode: 0o600 })
  writeFileSync(files.cert, cert)
  return { ...files, isNew: true }
}
