// Arguments and environment of `pull` → options, or all faults.
import { parseArgs } from 'node:util'
import { baseUrl } from '../client.ts'

export interface PullOptions {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  // Empty: all that the key may read.
  readonly resources: readonly string[]
  readonly to: string
  readonly format: Format
  // In CSV, does not escape texts that begin like a formula.
  readonly isRawText: boolean
  // Without the arrays of records, which takes a hundred times fewer requests.
  readonly isWithoutLines: boolean
  readonly isAnew: boolean
  // Repeats with this pause; null: runs once.
  readonly everySeconds: number | null
  readonly certificate: string | null
  // Of `changes`; null: its default.
  readonly overlapSeconds: number | null
  readonly isJson: boolean
}

export type Format = 'ndjson' | 'csv' | 'sqlite'

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
  const to = need(
    text('to'),
    'The place of the mirror is missing: --to names a folder, or a SQLite file that ends with .db.',
  )
  const isFile = /\.(db|sqlite|sqlite3)$/.test(to)
  const format = text('format') ?? (isFile ? 'sqlite' : 'ndjson')
  if (format !== 'ndjson' && format !== 'csv' && format !== 'sqlite')
    faults.push(`--format is ndjson, csv or sqlite, not "${format}".`)
  else if (isFile && format !== 'sqlite') faults.push(`--to names the SQLite file ${to}, but --format says ${format}.`)
  else if (!isFile && to !== '' && format === 'sqlite')
    faults.push(`For SQLite --to names a file that ends with .db, such as ${to.replace(/\/+$/, '')}.db.`)
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
      to,
      format: format as Format,
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

export const help = `Usage: vitrine pull [RESOURCE …] --to PATH [OPTIONS]

Mirrors what an access key may read into a folder of NDJSON or CSV files, or
into a SQLite file: everything the first time, then only changes. A run that
was stopped continues the next time.

Resources: such as invoices or credit-memos (default: all that the key may
read).

Options:
  --url URL          The address of the service (or VITRINE_URL).
  --client-id KEY    The access key (or VITRINE_CLIENT_ID).
  --secret-file FILE A file with the security code (or VITRINE_CLIENT_SECRET
                     with the code itself).
  --to PATH          A folder; a name that ends with .db is a SQLite file.
  --format FORMAT    ndjson (one record on each line) or csv, in a folder.
  --raw-text         Writes texts unchanged in CSV. Without it, a text that
                     begins with = + - @, a tab or a carriage return gets an
                     apostrophe in front, so that no spreadsheet runs it as a
                     formula.
  --without-lines    Records without lines and payments: one request for 100
                     records instead of one for each.
  --anew             Reads everything again, and removes deleted records.
  --watch            Runs until it is stopped, with a pause between two runs.
  --every SECONDS    The length of the pause (default: 60).
  --overlap SECONDS  The longest time from the updated_at of a change until it
                     can be read (default: 900). Set it higher if tills write
                     in long transactions, or the service reads a replica.
  --ca FILE          An additional certificate to trust.
  --json             One JSON object for each resource on stdout, and nothing
                     else.
  --help             Prints this help (also -h).

Status: 0 done, 1 failed, 2 wrong usage, 130 stopped.`
