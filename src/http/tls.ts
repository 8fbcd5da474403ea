// The certificate of the TLS listener: from files, read again when they change, or self-signed for development.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { makeFolder } from '../files.ts'
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
const lookEveryMs = 1000

// Everything that is wrong with the files, a sentence each.
export function certificateProblems(files: CertificateFiles): string[] {
  const unreadable = [fileProblem(files.cert, 'VITRINE_TLS_CERT'), fileProblem(files.key, 'VITRINE_TLS_KEY')].flatMap(
    (problem) => problem ?? [],
  )
  if (unreadable.length > 0) return unreadable
  try {
    const certificate = readCertificate(files)
    if (!new X509Certificate(certificate.cert).checkPrivateKey(createPrivateKey(certificate.key)))
      throw new Error('the private key does not belong to the certificate')
    createSecureContext(certificate)
    return []
  } catch (error) {
    return [`The certificate ${files.cert} with the key ${files.key} cannot be used: ${(error as Error).message}.`]
  }
}

function fileProblem(path: string, setting: string): string | undefined {
  try {
    readFileSync(path)
    return undefined
  } catch (error) {
    return `${setting} names ${path}, which cannot be read: ${(error as Error).message}.`
  }
}

export const readCertificate = ({ cert, key }: CertificateFiles): Certificate => ({
  cert: readFileSync(cert, 'utf8'),
  key: readFileSync(key, 'utf8'),
})

// Calls back when the files hold another certificate that can be used; says so when it cannot. They are simply read
// again: that sees renames and links too, which is how certificates are usually renewed, and misses no change.
export function watchCertificate(
  files: CertificateFiles,
  current: Certificate,
  onChange: (certificate: Certificate) => void,
  onProblem: (problem: string) => void,
): () => void {
  let seen = JSON.stringify(current)
  const look = () => {
    const now = readAsText(files)
    if (now === seen) return
    seen = now
    const problems = certificateProblems(files)
    if (problems.length > 0) onProblem(problems.join(' '))
    else onChange(readCertificate(files))
  }
  const timer = setInterval(look, lookEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}

function readAsText(files: CertificateFiles): string {
  try {
    return JSON.stringify(readCertificate(files))
  } catch (error) {
    return (error as Error).message
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
  makeFolder(dataDir)
  writeFileSync(files.key, key, { mode: 0o600 })
  writeFileSync(files.cert, cert)
  return { ...files, isNew: true }
}
