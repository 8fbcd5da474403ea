// `vitrine` within the process of the test: a process of its own takes half a second of processor time, and most tests of commands
// are not about that.
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { allCommands } from '../../bin/commands.ts'
import { runCommandLine } from '../../src/cli/command-line.ts'

export type Settings = Readonly<Record<string, string | undefined>>

export interface NewKey {
  readonly name: string
  readonly client_id: string
  readonly client_secret: string
  readonly permissions: string[]
  readonly stores: number[] | null
  readonly price_list: number | null
  readonly rate: number
  readonly expires: string | null
  readonly addresses: string[] | null
}

/** Not for commands that read stdin, show their progress, or take the names of files other than --config from `cwd`. */
export async function runCommand(words: readonly string[], env: Settings = {}, cwd = tmpdir()) {
  let [stdout, stderr] = ['', '']
  const status = await runCommandLine([...words], {
    commands: allCommands,
    env,
    cwd,
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  })
  return { status, stdout, stderr }
}

export async function makeKey(words: readonly string[], env: Settings, cwd?: string): Promise<NewKey> {
  const { status, stdout, stderr } = await runCommand(['keys', 'create', '--json', ...words], env, cwd)
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout) as NewKey
}
