// Words → command → exit status: 0 done, 1 failed, 2 wrong usage. What is printed goes to the streams given.
import { readFileSync } from 'node:fs'
import { printableLine } from '../terminal/printable.ts'
import { systemClock } from '../platform/clock.ts'
import { OperatorError } from '../errors.ts'
import { loadSettings } from '../settings/load.ts'
import type { ApartCommand } from '../terminal/command.ts'
import { parseArguments } from '../terminal/arguments.ts'
import type { Runnable } from './command.ts'
import { createOutput, type OutputStream } from './output.ts'

interface Surroundings {
  readonly commands: readonly (Runnable | ApartCommand)[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly stdout: OutputStream
  readonly stderr: OutputStream
}

export async function runCommandLine(
  words: string[],
  { commands, env, cwd, stdout, stderr }: Surroundings,
): Promise<number> {
  const parsed = parseArguments(words, commands, env)
  if ('help' in parsed) return print(parsed.help)
  if ('version' in parsed) return print(version())
  if ('faults' in parsed) return refuse(parsed.faults)
  const { command, operands, options, flags } = parsed
  if (command.isApart) return command.run(parsed, { env, stdout, stderr })
  const configPath = options['config']
  const loaded = loadSettings({
    env,
    cwd,
    needsState: !command.isStateless,
    ...(configPath === undefined ? {} : { configPath }),
  })
  complain(loaded.warnings)
  if ('faults' in loaded) return refuse(loaded.faults)
  const output = createOutput(flags.has('json'), stdout, stderr, env)
  try {
    return (await command.run({ operands, options, flags, ...loaded, clock: systemClock, output })) ?? 0
  } catch (error) {
    if (error instanceof OperatorError) return refuse(error.message.split('\n'), error.exitStatus)
    return refuse([`"${command.name}" failed: ${error instanceof Error ? error.message : String(error)}`], 1)
  }

  function print(text: string): number {
    stdout.write(`${text}\n`)
    return 0
  }

  function refuse(sentences: readonly string[], status = 2): number {
    complain(sentences)
    return status
  }

  function complain(sentences: readonly string[]): void {
    for (const sentence of sentences) stderr.write(`vitrine: ${printableLine(sentence)}\n`)
  }
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return version
}
