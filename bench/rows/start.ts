// How long the service takes from being started to listening, with a database that is there already.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { cleanEnvironment, freePorts, repository } from '../../test/support/process.ts'
import type { Company } from '../company.ts'
import { median, percentile } from '../statistics.ts'
import { both, round, type Row } from './row.ts'

async function startOnce({ folder, settings }: Company): Promise<number> {
  const { NODE_COMPILE_CACHE: _, ...env } = cleanEnvironment({ ...freePorts, ...settings })
  const startedAt = performance.now()
  const child = spawn(process.execPath, [join(repository, 'bin', 'vitrine.mjs'), 'serve', '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: folder,
    env,
  })
  const ended = once(child, 'exit')
  let text = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    text += String(chunk)
    if (/^\{"event":"listening".*\n/m.test(text)) break
  }
  const took = performance.now() - startedAt
  child.kill('SIGTERM')
  await ended
  if (!text.includes('"listening"')) throw new Error('The service did not start.')
  return took / 1000
}

export const startRows: Row[] = [
  {
    name: 'start to listening',
    unit: 's',
    target: both(0.8),
    async measure({ company, options }) {
      const took: number[] = []
      for (let turn = 0; turn < (options.isQuick ? 3 : 5); turn += 1) took.push(await startOnce(company))
      return {
        value: median(took),
        raw: { 'median, s': round(median(took)), 'slowest, s': round(percentile(took, 1)) },
      }
    },
  },
]
