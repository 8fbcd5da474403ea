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

// What every TLS listener speaks, from its start and after each change of its certificate.
export const tlsOptions = ({ cert, key }: Certificate) => ({ cert, key, ciphers, minVersion: 'TLSv1.2' }) as const

const validDays = 825
const renewDays = 30
const dayMs = 86_400_000
const lookEveryMs = 1000

// The certificate in the files, or everything that is wrong with them, a sentence each. They are read once: what is
// checked is what is used.
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

// Calls back when the files hold another certificate that can be used; says so when it cannot. They are simply read
// again: that sees renames and links too, which is how certificates are usually renewed, and misses no change.
export function watchCertificate(
  files: CertificateFiles,
  current: Certificate,
  onChange: (certificate: Certificate) => void,
  onProblem: (problem: string) => void,
): () => void {
  let seen = JSON.stringify(current)
  const look = async () => {
    const read = await readCertificate(files)
    if (JSON.stringify(read) === seen) return
    seen = JSON.stringify(read)
    if ('problems' in read) onProblem(read.problems.join(' '))
    else onChange(read)
  }
  const timer = setInterval(() => void look().catch((error: unknown) => onProblem(String(error))), lookEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}

// Seconds since 1970.
export const endOf = ({ cert }: Certificate): number => new X509Certificate(cert).validToDate.getTime() / 1000

// Made once and kept, so that a client which was told to trust it goes on doing so. Of several that start at once, one makes it.
export function developmentCertificate(
  dataDir: string,
  hosts: readonly string[],
  now: number,
): CertificateFiles & { isNew: boolean } {
  const files = { cert: join(dataDir, 'development-cert.pem'), key: join(dataDir, 'development-key.pem') }
  const isThere = () => existsSync(files.key) && isStillGood(files.cert, hosts, now)
  if (isThere()) return { ...files, isNew: false }
  makeFolder(dataDir)
  return alone(join(dataDir, 'development-cert.lock'), () => {
    if (isThere()) return { ...files, isNew: false }
    const names = [...new Set(['localhost', '127.0.0.1', '::1', ...hosts])]
    const { cert, key } = makeSelfSigned({ names, days: validDays, now: new Date(now) })
    writeFileSync(files.key, key, { mode: 0o600 })
    writeFileSync(files.cert, cert)
    return { ...files, isNew: true }
  })
}

const lockPatienceMs = 3000

// Holds a folder as a lock; one that is older than that belongs to somebody who was killed.
function alone<Made>(lock: string, make: () => Made): Made {
  while (!hold(lock)) {
    const madeAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    // One from the future, too: the clock was set back.
    if (Math.abs(Date.now() - madeAt) > lockPatienceMs) takeAway(lock)
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  }
  try {
    return make()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

// One of several can rename it.
function takeAway(lock: string): void {
  const own = `${lock}.${process.pid}`
  try {
    renameSync(lock, own)
    rmSync(own, { recursive: true, force: true })
  } catch {
    // Another was first.
  }
}

function hold(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function isStillGood(path: string, hosts: readonly string[], now: number): boolean {
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
