// Finds settings that are valid but dangerous: secrets or data that every user of the machine may read, and trusted proxies that
// include public addresses. Each comes with a remedy; nothing is refused. (Not on Windows, which has no file modes.)
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openToOthers, quoteForShell } from '../platform/files.ts'
import { settingsTable, type Settings } from './table.ts'

export interface Exposure {
  readonly code: 'open_to_others' | 'trusts_everybody'
  readonly message: string
  readonly remedy: string
}

type ExposedSettings = Pick<Settings, 'dataDir' | 'databaseUrl' | 'stateUrl' | 'tlsKey' | 'trustProxy'>

// `secretFiles`: config files and files of single settings that hold secrets.
export function findExposures(settings: ExposedSettings, secretFiles: readonly string[]): Exposure[] {
  const { dataDir, databaseUrl, stateUrl, tlsKey } = settings
  const files: [what: string, path: string][] = [
    ...secretFiles.map((path): [string, string] => ['The file with secrets', path]),
    ["The certificate's private key", tlsKey ?? join(dataDir, 'development-key.pem')],
    ...(stateUrl.kind === 'sqlite' ? [['The state', stateUrl.path] satisfies [string, string]] : []),
    // Elsewhere the file belongs to the POS.
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
  // SQLite keeps recent writes in files beside a database, with the mode that the database had.
  const beside = ['-wal', '-shm'].map((suffix) => path + suffix).filter((each) => existsSync(each))
  const remedy = `Close it to them: chmod o= ${[path, ...beside].map(quoteForShell).join(' ')}`
  return [{ code: 'open_to_others', message, remedy }]
}

// The widest private networks are 10.0.0.0/8 and fc00::/7: a wider range includes public addresses.
const widest = { 4: 8, 6: 7 } as const

function everybody(range: string): Exposure[] {
  const [address = '', prefix] = range.split('/')
  if (prefix === undefined) return []
  // A mapped IPv4 address has 96 fixed bits before its own.
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
