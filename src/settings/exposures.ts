// Settings that are valid but dangerous: secrets or data that every user of the machine may read, and ranges of trusted proxies that
// include strangers. Each comes with its remedy; nothing is refused. (Windows has no file modes, so its files are not judged.)
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openToOthers, quoteForShell } from '../platform/files.ts'
import { settingsTable, type Settings } from './table.ts'

export interface Exposure {
  readonly code: 'open_to_others' | 'trusts_everybody'
  readonly message: string
  readonly remedy: string
}

type Looked = Pick<Settings, 'dataDir' | 'databaseUrl' | 'stateUrl' | 'tlsKey' | 'trustProxy'>

// `secretFiles`: config files and files of single settings that hold a password or the like.
export function findExposures(settings: Looked, secretFiles: readonly string[]): Exposure[] {
  const { dataDir, databaseUrl, stateUrl, tlsKey } = settings
  const files: [what: string, path: string][] = [
    ...secretFiles.map((path): [string, string] => ['The file with secrets', path]),
    ["The certificate's private key", tlsKey ?? join(dataDir, 'development-key.pem')],
    ...(stateUrl.kind === 'sqlite' ? [['The state', stateUrl.path] satisfies [string, string]] : []),
    // A file elsewhere belongs to the POS, and so do its rights.
    ...(databaseUrl.kind === 'sqlite' && dirname(databaseUrl.path) === dataDir
      ? [['The POS data', databaseUrl.path] satisfies [string, string]]
      : []),
  ]
  return [...files.flatMap(([what, path]) => openFile(what, path)), ...settings.trustProxy.flatMap(everybody)]
}

function openFile(what: string, path: string): Exposure[] {
  const others = openToOthers(path)
  if (others === undefined) return []
  const message = `${what}, ${path}, may be ${others} by every user of this machine.`
  // SQLite keeps recent writes beside a database, under the mode that the database had.
  const beside = ['-wal', '-shm'].map((suffix) => path + suffix).filter((each) => existsSync(each))
  const remedy = `Close it to them: chmod o= ${[path, ...beside].map(quoteForShell).join(' ')}`
  return [{ code: 'open_to_others', message, remedy }]
}

// The widest private networks are 10.0.0.0/8 and fc00::/7: a wider range includes public addresses.
const widest = { 4: 8, 6: 7 } as const

function everybody(range: string): Exposure[] {
  const [address = '', prefix] = range.split('/')
  if (prefix === undefined) return []
  // The first 96 bits of an IPv4 address that is written as IPv6 are always the same.
  const isMapped = address.includes(':') && new URL(`http://[${address}]`).hostname.startsWith('[::ffff:')
  const isWide = isMapped ? Number(prefix) < 96 + widest[4] : Number(prefix) < widest[address.includes(':') ? 6 : 4]
  if (!isWide) return []
  return [
    {
      code: 'trusts_everybody',
      message: `${settingsTable.trustProxy.name} trusts ${range}: strangers are served without TLS on the plain port, and can claim to call from any address, so that no block and no limit holds them.`,
      remedy: 'Name the addresses of your proxies, and no others.',
    },
  ]
}
