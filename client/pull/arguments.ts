// The words after `pull` and the environment → what is wanted, or everything that is wrong with them, a sentence each.
import { parseArgs } from 'node:util'
import { baseUrl } from '../client.ts'

export interface PullOptions {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  // The resources by name; none: all that the key may read.
  readonly resources: readonly string[]
  readonly to: string
  readonly format: Format
  // In CSV, texts that begin like a formula are written as they are.
  readonly isRawText: boolean
  // Without the arrays that only a single record has: a hundred times fewer requests.
  readonly isWithoutLines: boolean
  readonly isAnew: boolean
  // Goes on for ever, with a pause of so many seconds; null: once.
  readonly everySeconds: number | null
  readonly certificate: string | null
  // Of `changes`; null: as usual.
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

export type Read = { readonly options: PullOptions } | { readonly faults: readonly string[] } | { readonly help: true }

export function readArguments(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): Read {
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
    'Where is the service? --url https://shop.example:8443 or VITRINE_URL says it.',
  )
  if (url !== '') faults.push(...addressFaults(url))
  const clientId = need(
    text('client-id') ?? env['VITRINE_CLIENT_ID'],
    'Which access key is to be used? --client-id or VITRINE_CLIENT_ID says it.',
  )
  const clientSecret = need(
    readSecret(text('secret-file'), env, readFile, faults),
    'The security code of the key is missing: VITRINE_CLIENT_SECRET holds it, or a file named with --secret-file. (Never an option of its own: others could see it in the list of processes.)',
  )
  const to = need(
    text('to'),
    'Where shall the mirror be? --to names a folder, or a file that ends with .db for SQLite.',
  )
  const isFile = /\.(db|sqlite|sqlite3)$/.test(to)
  const format = text('format') ?? (isFile ? 'sqlite' : 'ndjson')
  if (format !== 'ndjson' && format !== 'csv' && format !== 'sqlite')
    faults.push(`--format is ndjson, csv or sqlite, not "${format}".`)
  else if (isFile && format !== 'sqlite') faults.push(`--to names the SQLite file ${to}, but --format says ${format}.`)
  else if (!isFile && to !== '' && format === 'sqlite')
    faults.push(`For SQLite --to names a file that ends with .db, such as ${to.replace(/\/+$/, '')}.db.`)
  if (values['raw-text'] && format !== 'csv') faults.push('--raw-text goes with --format csv.')
  const every = text('every')
  const overlap = text('overlap')
  for (const [name, value] of Object.entries({ every, overlap }))
    if (value !== undefined && !/^[1-9]\d{0,5}$/.test(value))
      faults.push(`--${name} is a number of seconds, from 1 on.`)
  if (every !== undefined && !values.watch) faults.push('--every goes with --watch.')
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
into a SQLite file: everything the first time, then only what has changed.
Stopped at any point, it goes on from there the next time.

Resources: as the service names them (invoices, credit-memos …); none means
all that the key may read.

Options:
  --url URL          Where the service is (or VITRINE_URL).
  --client-id KEY    The access key (or VITRINE_CLIENT_ID).
  --secret-file FILE A file with the security code (or VITRINE_CLIENT_SECRET
                     with the code itself).
  --to PATH          A folder; a name that ends with .db is a SQLite file.
  --format FORMAT    ndjson (one record a line) or csv, in a folder.
  --raw-text         In CSV, texts as they are. Without it a text that begins
                     with = + - @, a tab or a carriage return gets an
                     apostrophe before it, so that no spreadsheet takes it for
                     a formula and runs it.
  --without-lines    Records as lists show them, without lines and payments:
                     a request for 100 records instead of one for each.
  --anew             Reads everything again, and takes out what is gone.
  --watch            Goes on, with a pause between two looks.
  --every SECONDS    How long that pause is; 60 unless told.
  --overlap SECONDS  The longest that a change takes from its updated_at until it
                     can be read; 900 unless told. Longer where tills write
                     in long transactions, or the service reads a copy.
  --ca FILE          A certificate to trust besides the usual ones.
  --json             One JSON object a resource on stdout, and nothing else.
  --help             Prints this help (also -h).

Status: 0 done, 1 failed, 2 wrong usage, 130 stopped.`
