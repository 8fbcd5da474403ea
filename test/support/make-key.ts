// `vitrine keys create` without a process of its own, which most tests that need a key are not about.
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { systemClock } from '../../src/clock.ts'
import { parseArguments } from '../../src/cli/arguments.ts'
import { keysCreate } from '../../src/cli/keys-create.ts'
import { createOutput } from '../../src/cli/output.ts'
import { loadSettings } from '../../src/settings/load.ts'
import type { NewKey, Settings } from './process.ts'

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
