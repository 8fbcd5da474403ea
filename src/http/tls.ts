// The certificate of the TLS listener: from files, read again when they change, or self-signed for development.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { createSecureContext } from 'node:tls'
import { makeFolder } from '../platform/files.ts'
import { makeSelfSigned } from './self-signed.ts'

export interface Certificate {
  readonly cert: string
  readonly key: string
}

interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

// Forward secrecy and authenticated encryption only. The names in capitals are those of TLS 1.3, the others those of TLS 1.2.
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  ...['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].flatMap((cipher) =>
    ['ECDSA', 'RSA'].map((signature) => `ECDHE-${signature}-${cipher}`),
  ),
].join(':')

// For every TLS listener, at its start and after each change of the certificate.
export const tlsOptions = ({ cert, key }: Certificate) => ({ cert, key, ciphers, minVersion: 'TLSv1.2' }) as const

const validDays = 825
const renewDays = 30
const dayMs = 86_400_000
const pollEveryMs = 1000

// The certificate, or every problem with its files, a sentence each. Files are read once: the checked bytes are the ones in use.
export async function readCertificate(files: CertificateFiles): Promise<Certificate | { problems: string[] }> {
  const [cert, key] = await Promise.all([
    readNamed(files.cert, 'VITRINE_TLS_CERT'),
    readNamed(files.key, 'VITRINE_TLS_KEY'),
  ])
  if ('problem' in cert || 'problem' in key)
    return { problems: [cert, key].flatMap((read) => ('problem' in read ? [read.problem] : [])) }
  const certificate = { cert: cert.text, key: key.text }
  try {
    if (!new X509Certificate(certificate.cert).checkPrivateKey(createPrivateKey(certificate.key)))
      throw new Error('the private key does not belong to the certificate')
    createSecureContext(tlsOptions(certificate))
    return certificate
  } catch (error) {
    const why = (error as Error).message
    return { problems: [`The certificate ${files.cert} with the key ${files.key} cannot be used: ${why}.`] }
  }
}

async function readNamed(path: string, setting: string): Promise<{ text: string } | { problem: string }> {
  try {
    return { text: await readFile(path, 'utf8') }
  } catch (error) {
    return { problem: `${setting} names ${path}, which cannot be read: ${(error as Error).message}.` }
  }
}

// Reports a new certificate in the files, or why it cannot be used. Polls, because renewals usually rename or relink files, which
// file watchers miss.
export function watchCertificate(
  files: CertificateFiles,
  current: Certificate,
  onChange: (certificate: Certificate) => void,
  onProblem: (problem: string) => void,
): () => void {
  let last = JSON.stringify(current)
  let isReading = false
  const poll = async () => {
    // Reading may hang, for example on a network drive. One read at a time, so that it does not take all threads of Node.js's pool.
    if (isReading) return
    isReading = true
    const next = await readCertificate(files).finally(() => (isReading = false))
    if (JSON.stringify(next) === last) return
    last = JSON.stringify(next)
    if ('problems' in next) onProblem(next.problems.join(' '))
    else onChange(next)
  }
  const timer = setInterval(() => void poll().catch((error: unknown) => onProblem(String(error))), pollEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}

// Seconds since 1970.
export const endOf = ({ cert }: Certificate): number => new X509Certificate(cert).validToDate.getTime() / 1000

// Made once and kept, so that clients that trust it keep trusting it. If several instances start at once, one makes it.
export function developmentCertificate(
  dataDir: string,
  hosts: readonly string[],
  now: number,
): CertificateFiles & { isNew: boolean } {
  const files = { cert: join(dataDir, 'development-cert.pem'), key: join(dataDir, 'development-key.pem') }
  const isThere = () => existsSync(files.key) && isStillValid(files.cert, hosts, now)
  if (isThere()) return { ...files, isNew: false }
  makeFolder(dataDir)
  return withLock(join(dataDir, 'development-cert.lock'), () => {
    if (isThere()) return { ...files, isNew: false }
    const names = [...new Set(['localhost', '127.0.0.1', '::1', ...hosts])]
    const { cert, key } = makeSelfSigned({ names, days: validDays, now: new Date(now) })
    writeFileSync(files.key, key, { mode: 0o600 })
    writeFileSync(files.cert, cert)
    return { ...files, isNew: true }
  })
}

const lockPatienceMs = 3000

// The lock is a folder. An older one belongs to a process that was killed.
function withLock<Result>(lock: string, run: () => Result): Result {
  while (!acquire(lock)) {
    const lockedAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    // A lock from the future is stale too: the clock was set back.
    if (Math.abs(Date.now() - lockedAt) > lockPatienceMs) breakLock(lock)
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  }
  try {
    return run()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

// Only one of several processes can rename it.
function breakLock(lock: string): void {
  const own = `${lock}.${process.pid}`
  try {
    renameSync(lock, own)
    rmSync(own, { recursive: true, force: true })
  } catch {
    // Another process was first.
  }
}

function acquire(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function isStillValid(path: string, hosts: readonly string[], now: number): boolean {
  try {
    const certificate = new X509Certificate(readFileSync(path))
    const isFor = (host: string) => (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host))
    return (
      hosts.every((host) => isFor(host) !== undefined) && certificate.validToDate.getTime() - now > renewDays * dayMs
    )
  } catch {
    return false
  }
}
