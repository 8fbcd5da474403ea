// `pull` as a command: of this package, and of `vitrine`, which runs it with its own.
import process from 'node:process'
import { parseArguments } from '../../src/terminal/arguments.ts'
import type { ApartCommand } from '../../src/terminal/command.ts'
import { printableLine } from '../../src/terminal/printable.ts'
import { readOptions } from './options.ts'

export const pullCommand: ApartCommand = {
  name: 'pull',
  summary: 'Mirrors what an access key may read into files, a SQLite file or a PostgreSQL database.',
  details: `With lines and payments: everything the first time, then every change and every deletion. If a run is stopped or killed,
    the next one continues from there. From a service without a change feed, every run reads everything, and lines cost one request
    for each record.

    Status: 0 done, 1 failed, 2 wrong usage, 130 stopped.`,
  isApart: true,
  operands: [
    {
      name: 'RESOURCE',
      help: 'A name such as invoices or credit-memos (default: all that the key may read).',
      isRepeated: true,
    },
  ],
  options: [
    {
      name: 'to',
      value: 'PLACE',
      required: true,
      help: 'A folder; a SQLite file, whose name ends with .db; or a database, as postgres://user@host:5432/database, in a schema of its own (?schema=NAME; default: vitrine_mirror). Set PGPASSWORD: other users of the machine could see a password that is written here.',
    },
    { name: 'url', value: 'URL', help: 'The address of the service (or VITRINE_URL).' },
    { name: 'client-id', value: 'KEY', help: 'The access key (or VITRINE_CLIENT_ID).' },
    {
      name: 'secret-file',
      value: 'FILE',
      help: 'A file with the security code (or VITRINE_CLIENT_SECRET with the code itself).',
    },
    {
      name: 'format',
      value: 'FORMAT',
      help: "ndjson (one record on each line) or csv, in a folder (default: the folder's format, or ndjson if it is new).",
    },
    {
      name: 'raw-text',
      help: 'Writes texts unchanged in CSV. Without this option, a text that begins with = + - @, a tab or a carriage return gets an apostrophe in front, so that no spreadsheet runs it as a formula.',
    },
    { name: 'without-lines', help: 'Leaves out lines and payments, from now on.' },
    { name: 'with-lines', help: 'Includes them again.', instead: 'without-lines' },
    {
      name: 'anew',
      help: 'Reads everything again. Required to change the service, the key, the format or the lines of a mirror.',
    },
    { name: 'watch', help: 'Repeats until it is stopped, with a pause between runs.' },
    { name: 'every', value: 'SECONDS', help: 'The length of the pause (default: 60).' },
    { name: 'ca', value: 'FILE', help: 'An additional certificate to trust.' },
  ],
  check(options, operands, flags, env) {
    const faults: string[] = []
    readOptions({ options, operands, flags }, env, faults)
    return faults
  },
  async run(words, streams) {
    const { pull } = await import('./main.ts')
    return pull(readOptions(words, streams.env), streams)
  },
}

// The command of this package alone.
export async function runPull(words: readonly string[]): Promise<number> {
  const parsed = parseArguments(['pull', ...words], [pullCommand], process.env)
  if ('command' in parsed) return parsed.command.run(parsed, process)
  if ('help' in parsed) process.stdout.write(`${parsed.help}\n`)
  if (!('faults' in parsed)) return 0
  for (const fault of parsed.faults) process.stderr.write(`vitrine: ${printableLine(fault)}\n`)
  return 2
}
