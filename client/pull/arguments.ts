// Arguments and environment of `pull` → options, or all faults.
import { parseArgs } from 'node:util'
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

const options = {
  url: { type: 'string' },
  'client-id': { type: 'string' },
  'secret-file': { type: 'string' },
  to: { type: 'string' },
  format: { type: 'string' },
  'raw-text': { type: 'boolean' },
  'without-lines': { type: 'boolean' },
  'with-lines': { type: 'boolean' },
  anew: { type: 'boolean' },
  watch: { type: 'boolean' },
  every: { type: 'string' },
  ca: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const allOptions = Object.keys(options)
  .map((name) => `--${name}`)
  .join(', ')

export type PullArguments =
  | { readonly options: PullOptions }
  | { readonly faults: readonly string[] }
  | { readonly help: true }

export function readArguments(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): PullArguments {
  const { values, positionals, tokens } = parseArgs({
    args: [...words],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  if (values.help) return { help: true }
  const faults: string[] = []
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const known = Object.hasOwn(options, token.name) ? options[token.name as keyof typeof options] : undefined
    if (!known) faults.push(`${token.rawName} is not an option of pull: its options are ${allOptions}.`)
    else if (known.type === 'string' && (!token.value || (!token.inlineValue && token.value.startsWith('-'))))
      faults.push(`${token.rawName} needs a value.`)
    else if (known.type === 'boolean' && token.value !== undefined) faults.push(`${token.rawName} takes no value.`)
  }
  const text = (name: keyof typeof options) => {
    const value = values[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const need = (value: string | undefined, sentence: string) => {
    if (!value) faults.push(sentence)
    return value ?? ''
  }
  const url = need(
    text('url') ?? env['VITRINE_URL'],
    'The address of the service is missing: set --url https://shop.example:8443 or VITRINE_URL.',
  )
  if (url !== '') faults.push(...addressFaults(url))
  const clientId = need(
    text('client-id') ?? env['VITRINE_CLIENT_ID'],
    'The access key is missing: set --client-id or VITRINE_CLIENT_ID.',
  )
  const secretFile = text('secret-file')
  const clientSecret = secretFile
    ? readSecret(secretFile, readFile, faults)
    : need(
        env['VITRINE_CLIENT_SECRET'],
        'The security code is missing: set VITRINE_CLIENT_SECRET, or name a file with --secret-file. (It is not an option, because other users could see it in the list of processes.)',
      )
  const target = readTarget(
    need(
      text('to'),
      'The place of the mirror is missing: --to names a folder, a SQLite file that ends with .db, or a PostgreSQL database (postgres://…).',
    ),
    faults,
  )
  const format = text('format') ?? null
  if (format !== null) faults.push(...formatFaults(format, target))
  if (values['raw-text'] && format !== 'csv') faults.push('--raw-text requires --format csv.')
  const every = text('every')
  if (every !== undefined && !/^[1-9]\d{0,5}$/.test(every)) faults.push('--every is a number of seconds, at least 1.')
  if (values['with-lines'] && values['without-lines']) faults.push('Either --with-lines or --without-lines, not both.')
  if (every !== undefined && !values.watch) faults.push('--every requires --watch.')
  if (faults.length > 0) return { faults: [...new Set(faults)] }
  return {
    options: {
      url,
      clientId,
      clientSecret,
      resources: positionals.flatMap((word) => word.split(',')).filter((word) => word !== ''),
      target,
      format: format === 'sqlite' || target.kind !== 'files' ? 'tables' : (format as Format | null),
      isRawText: values['raw-text'] === true,
      isWithoutLines: values['with-lines'] ? false : values['without-lines'] ? true : null,
      isAnew: values.anew === true,
      everySeconds: values.watch ? Number(every ?? 60) : null,
      certificate: text('ca') ?? null,
      isJson: values.json === true,
    },
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

function readSecret(file: string, readFile: (path: string) => string, faults: string[]): string {
  try {
    const secret = readFile(file).trim()
    if (secret === '') faults.push(`--secret-file names ${file}, which is empty.`)
    return secret
  } catch (error) {
    faults.push(`--secret-file names ${file}, which cannot be read: ${(error as Error).message}.`)
    return ''
  }
}

export const help = `Usage: vitrine pull [RESOURCE …] --to PLACE [OPTIONS]

Mirrors what an access key may read, with lines and payments, into files, a
SQLite file or a PostgreSQL database: everything the first time, then every
change and every deletion. If a run is stopped or killed, the next one
continues from there. From a service without a change feed, every run reads
everything, and lines cost one request for each record.

RESOURCE is a name such as invoices or credit-memos (default: all that the key
may read).

Options:
  --url URL          The address of the service (or VITRINE_URL).
  --client-id KEY    The access key (or VITRINE_CLIENT_ID).
  --secret-file FILE A file with the security code (or VITRINE_CLIENT_SECRET
                     with the code itself).
  --to PLACE         A folder; a SQLite file, whose name ends with .db; or a
                     database, as postgres://user@host:5432/database, in a
                     schema of its own (?schema=NAME; default: vitrine_mirror).
                     Set PGPASSWORD: other users of the machine could see a
                     password that is written here.
  --format FORMAT    ndjson (one record on each line) or csv, in a folder
                     (default: the folder's format, or ndjson if it is new).
  --raw-text         Writes texts unchanged in CSV. Without this option, a text
                     that begins with = + - @, a tab or a carriage return gets
                     an apostrophe in front, so that no spreadsheet runs it as
                     a formula.
  --without-lines    Leaves out lines and payments, from now on.
  --with-lines       Includes them again.
  --anew             Reads everything again. Required to change the service,
                     the key, the format or the lines of a mirror.
  --watch            Repeats until it is stopped, with a pause between runs.
  --every SECONDS    The length of the pause (default: 60).
  --ca FILE          An additional certificate to trust.
  --json             Prints one JSON object for each resource on stdout, and no
                     progress.
  --help             Prints this help (also -h).

Status: 0 done, 1 failed, 2 wrong usage, 130 stopped.`
