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
  // null: NDJSON in a new folder, else as the mirror is.
  readonly format: Format | null
  // In CSV, does not escape texts that begin like a formula.
  readonly isRawText: boolean
  // Without the arrays of records.
  readonly isWithoutLines: boolean
  readonly isAnew: boolean
  // Repeats with this pause; null: runs once.
  readonly everySeconds: number | null
  readonly certificate: string | null
  // Of `changes`; null: its default.
  readonly overlapSeconds: number | null
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
  anew: { type: 'boolean' },
  watch: { type: 'boolean' },
  every: { type: 'string' },
  overlap: { type: 'string' },
  ca: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

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
    if (!known) faults.push(`${token.rawName} is not an option of pull: ${allOptions()}.`)
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
  const clientSecret = need(
    readSecret(text('secret-file'), env, readFile, faults),
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
  const overlap = text('overlap')
  for (const [name, value] of Object.entries({ every, overlap }))
    if (value !== undefined && !/^[1-9]\d{0,5}$/.test(value))
      faults.push(`--${name} is a number of seconds, at least 1.`)
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
      isWithoutLines: values['without-lines'] === true,
      isAnew: values.anew === true,
      everySeconds: values.watch ? Number(every ?? 60) : null,
      certificate: text('ca') ?? null,
      overlapSeconds: overlap === undefined ? null : Number(overlap),
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
  // Without the text: it holds a part of the password.
  else if (url.pathname.includes('@') || url.hash !== '')
    faults.push('In --to, write special characters of the password as %2F (/), %23 (#), %40 (@), or set PGPASSWORD.')
  else if (unknown.length > 0)
    faults.push(`--to has the unknown parameter ${unknown.join(', ')}; known are ${urlParameters.join(', ')}.`)
  else if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith('pg_'))
    faults.push(`The schema in --to is a name of lower-case letters, digits and underscores, not "${schema}".`)
  // A parameter of ours, not of the database.
  url?.searchParams.delete('schema')
  return { kind: 'postgres', url: url?.href ?? '', schema }
}

// For people: without a password.
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

function readSecret(
  file: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
  faults: string[],
): string | undefined {
  if (file === undefined) return env['VITRINE_CLIENT_SECRET']
  try {
    return readFile(file).trim()
  } catch (error) {
    faults.push(`--secret-file names ${file}, which cannot be read: ${(error as Error).message}.`)
    return ''
  }
}

const allOptions = () =>
  `its options are ${Object.keys(options)
    .map((name) => `--${name}`)
    .join(', ')}`

export const help = `Usage: vitrine pull [RESOURCE …] --to PLACE [OPTIONS]

Mirrors what an access key may read, with lines and payments, into files, a
SQLite file or a PostgreSQL database: everything the first time, then every
change and every deletion. A run that was stopped or killed continues the next
time.

Resources: such as invoices or credit-memos (default: all that the key may
read).

Options:
  --url URL          The address of the service (or VITRINE_URL).
  --client-id KEY    The access key (or VITRINE_CLIENT_ID).
  --secret-file FILE A file with the security code (or VITRINE_CLIENT_SECRET
                     with the code itself).
  --to PLACE         A folder; a SQLite file, whose name ends with .db; or a
                     database, as postgres://user@host:5432/database, in a
                     schema of its own (?schema=NAME; default: vitrine_mirror).
                     Set PGPASSWORD instead of writing a password here, where
                     other users of the machine could see it.
  --format FORMAT    ndjson (one record on each line) or csv, in a folder
                     (default: as the folder is, or ndjson).
  --raw-text         Writes texts unchanged in CSV. Without it, a text that
                     begins with = + - @, a tab or a carriage return gets an
                     apostrophe in front, so that no spreadsheet runs it as a
                     formula.
  --without-lines    Records without lines and payments.
  --anew             Reads everything again, also from another service, with
                     another key or into another format.
  --watch            Runs until it is stopped, with a pause between two runs.
  --every SECONDS    The length of the pause (default: 60).
  --overlap SECONDS  Only for a service without a change feed: the longest time
                     from the updated_at of a change until it can be read
                     (default: 900). Such a service tells of no deletion, and
                     lines cost a request for each record.
  --ca FILE          An additional certificate to trust.
  --json             One JSON object for each resource on stdout, and nothing
                     else.
  --help             Prints this help (also -h).

Status: 0 done, 1 failed, 2 wrong usage, 130 stopped.`
