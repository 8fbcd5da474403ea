// Words and environment of `pull` → options, and all faults of their values.
import { readFileSync } from 'node:fs'
import type { Environment, Words } from '../../src/terminal/command.ts'
import { baseUrl } from '../client.ts'
import type { Format } from './store.ts'

export interface PullOptions {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  // Empty: all that the key may read.
  readonly resources: readonly string[]
  readonly target: Target
  // null: the mirror's format, or NDJSON in a new folder.
  readonly format: Format | null
  // CSV: texts that begin like a formula are not escaped.
  readonly isRawText: boolean
  // Records have no arrays. null: as in the mirror.
  readonly isWithoutLines: boolean | null
  readonly isAnew: boolean
  // The pause between two runs; null: runs once.
  readonly everySeconds: number | null
  readonly certificate: string | null
  readonly isJson: boolean
}

export type Target =
  | { readonly kind: 'files'; readonly path: string }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly schema: string }

export function readOptions({ operands, options, flags }: Words, env: Environment, faults: string[] = []): PullOptions {
  const need = (value: string | undefined, sentence: string) => {
    if (!value) faults.push(sentence)
    return value ?? ''
  }
  const url = need(
    options['url'] ?? env['VITRINE_URL'],
    'The address of the service is missing: set --url https://shop.example:8443 or VITRINE_URL.',
  )
  if (url !== '') faults.push(...addressFaults(url))
  const clientId = need(
    options['client-id'] ?? env['VITRINE_CLIENT_ID'],
    'The access key is missing: set --client-id or VITRINE_CLIENT_ID.',
  )
  const clientSecret = options['secret-file']
    ? readSecret(options['secret-file'], faults)
    : need(
        env['VITRINE_CLIENT_SECRET'],
        'The security code is missing: set VITRINE_CLIENT_SECRET, or name a file with --secret-file. (It is not an option, because other users could see it in the list of processes.)',
      )
  const target = readTarget(options['to'] ?? '', faults)
  const { format = null, every } = options
  if (format !== null) faults.push(...formatFaults(format, target))
  if (flags.has('raw-text') && format !== 'csv') faults.push('--raw-text requires --format csv.')
  if (every !== undefined && !/^[1-9]\d{0,5}$/.test(every)) faults.push('--every is a number of seconds, at least 1.')
  if (every !== undefined && !flags.has('watch')) faults.push('--every requires --watch.')
  return {
    url,
    clientId,
    clientSecret,
    resources: operands.flatMap((word) => word.split(',')).filter((word) => word !== ''),
    target,
    format: format === 'sqlite' || target.kind !== 'files' ? 'tables' : (format as Format | null),
    isRawText: flags.has('raw-text'),
    isWithoutLines: flags.has('with-lines') ? false : flags.has('without-lines') ? true : null,
    isAnew: flags.has('anew'),
    everySeconds: flags.has('watch') ? Number(every ?? 60) : null,
    certificate: options['ca'] ?? null,
    isJson: flags.has('json'),
  }
}

const defaultSchema = 'vitrine_mirror'
const urlParameters = ['schema', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']

function readTarget(to: string, faults: string[]): Target {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(to)?.[1]?.toLowerCase()
  if (scheme === 'postgres' || scheme === 'postgresql') return readPostgres(to, faults)
  if (scheme !== undefined)
    faults.push(
      `--to cannot be a ${scheme}:// address: it names a folder, a SQLite file that ends with .db, or a PostgreSQL database (postgres://…).`,
    )
  return { kind: /\.(db|sqlite|sqlite3)$/.test(to) ? 'sqlite' : 'files', path: to }
}

function readPostgres(to: string, faults: string[]): Target {
  const example = 'postgres://user@host:5432/database?schema=name'
  const url = URL.canParse(to) ? new URL(to) : null
  const schema = url?.searchParams.get('schema') ?? defaultSchema
  const unknown = [...(url?.searchParams.keys() ?? [])].filter((name) => !urlParameters.includes(name))
  if (!url?.host) faults.push(`--to is not the address of a PostgreSQL database, which looks like ${example}.`)
  // The fault does not quote --to, which holds a part of the password.
  else if (url.pathname.includes('@') || url.hash !== '')
    faults.push('In --to, write special characters of the password as %2F (/), %23 (#), %40 (@), or set PGPASSWORD.')
  else if (unknown.length > 0)
    faults.push(`--to has the unknown parameter ${unknown.join(', ')}; known are ${urlParameters.join(', ')}.`)
  else if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith('pg_'))
    faults.push(`The schema in --to is a name of lower-case letters, digits and underscores, not "${schema}".`)
  // Our own parameter, not one of the database.
  url?.searchParams.delete('schema')
  return { kind: 'postgres', url: url?.href ?? '', schema }
}

// Without the password.
export const targetText = (target: Target) =>
  target.kind === 'postgres'
    ? `the schema ${target.schema} of ${new URL(target.url).host}${new URL(target.url).pathname}`
    : target.path

function formatFaults(format: string, target: Target): string[] {
  if (format !== 'ndjson' && format !== 'csv' && format !== 'sqlite')
    return [`--format is ndjson, csv or sqlite, not "${format}".`]
  if (target.kind === 'postgres') return ['--format is for files: a mirror in PostgreSQL has tables.']
  if (target.kind === 'sqlite' && format !== 'sqlite')
    return [`--to names the SQLite file ${target.path}, but --format says ${format}.`]
  if (target.kind === 'files' && target.path !== '' && format === 'sqlite')
    return [`For SQLite --to names a file that ends with .db, such as ${target.path.replace(/\/+$/, '')}.db.`]
  return []
}

function addressFaults(url: string): string[] {
  try {
    baseUrl(url)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

function readSecret(file: string, faults: string[]): string {
  try {
    const secret = readFileSync(file, 'utf8').trim()
    if (secret === '') faults.push(`--secret-file names ${file}, which is empty.`)
    return secret
  } catch (error) {
    faults.push(`--secret-file names ${file}, which cannot be read: ${(error as Error).message}.`)
    return ''
  }
}
