// `vitrine keys create` without a process of its own, which most tests that need a key are not about.
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { systemClock } from '../../src/platform/clock.ts'
import { parseArguments } from '../../src/cli/arguments.ts'
import { keysCreate } from '../../src/cli/keys-change.ts'
import { createOutput } from '../../src/cli/output.ts'
import { loadSettings } from '../../src/settings/load.ts'

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

export async function makeKey(words: readonly string[], env: Settings, cwd: string): Promise<NewKey> {
  const parsed = parseArguments(['keys', 'create', '--json', ...words], [keysCreate])
  assert('command' in parsed, JSON.stringify(parsed))
  const loaded = loadSettings({ env, cwd })
  assert('settings' in loaded, JSON.stringify(loaded))
  const stdout = new PassThrough({ encoding: 'utf8' })
  const output = createOutput(true, stdout, new PassThrough())
  await keysCreate.run({ ...parsed, ...loaded, clock: systemClock, output })
  return JSON.parse(String(stdout.read())) as NewKey
}
