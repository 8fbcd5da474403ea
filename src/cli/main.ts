// The command line: arguments → command → exit status (0 done, 1 failed, 2 wrong usage).
import process from 'node:process'
import { readFileSync } from 'node:fs'
import { printableLine } from '../../client/pull/printable.ts'
import { systemClock } from '../platform/clock.ts'
import { OperatorError } from '../errors.ts'
import { loadSettings } from '../settings/load.ts'
import { parseArguments } from './arguments.ts'
import { commands, pullCommand } from './commands.ts'
import { findCommand } from './command.ts'
import { createOutput } from './output.ts'

// A closed pipe, as in `vitrine keys list | head`, is not an error.
process.stdout.on('error', () => {})

// New files hold the company's data or secrets, so only this user may read them. Existing files keep their mode.
process.umask(0o077)

process.exitCode = await main(process.argv.slice(2))

async function main(words: string[]): Promise<number> {
  // `pull` belongs to the client package, and needs neither settings nor a database.
  const named = findCommand(words, commands)
  if ('command' in named && named.command === pullCommand)
    return (await import('../../client/pull/main.ts')).pull(named.rest)
  const parsed = parseArguments(words, commands)
  if ('help' in parsed) return print(parsed.help)
  if ('version' in parsed) return print(version())
  if ('faults' in parsed) return refuse(parsed.faults)
  const { command, operands, options, flags } = parsed
  const configPath = options['config']
  const loaded = loadSettings({
    env: process.env,
    cwd: process.cwd(),
    needsState: !command.isStateless,
    ...(configPath === undefined ? {} : { configPath }),
  })
  warn(loaded.warnings)
  if ('faults' in loaded) return refuse(loaded.faults)
  const output = createOutput(flags.has('json'), process.stdout, process.stderr)
  try {
    return (await command.run({ operands, options, flags, ...loaded, clock: systemClock, output })) ?? 0
  } catch (error) {
    if (error instanceof OperatorError) return refuse(error.message.split('\n'), error.exitStatus)
    return refuse([`"${command.name}" failed: ${error instanceof Error ? error.message : String(error)}`], 1)
  }
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}

function refuse(sentences: readonly string[], status = 2): number {
  warn(sentences)
  return status
}

function warn(sentences: readonly string[]): void {
  for (const sentence of sentences) process.stderr.write(`vitrine: ${printableLine(sentence)}\n`)
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return version
}
