// How long a start takes on an existing database: until the service listens, and until lists come from columns.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnvironment, freePorts, repository } from '../../test/support/process.ts'
import { collections } from '../../src/catalogue/collections.ts'
import type { Company } from '../company.ts'
import { countColumns } from '../service.ts'
import { median, percentile } from '../statistics.ts'
import { both, round, type Row } from './row.ts'

// `columns`: until every list is served from columns.
async function startOnce({ folder, settings }: Company, until: 'listening' | 'columns' = 'listening'): Promise<number> {
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
    if (until === 'listening' && /^\{"event":"listening".*\n/m.test(text)) break
    if (countColumns(text) >= collections.length) break
  }
  const took = performance.now() - startedAt
  child.kill('SIGTERM')
  await ended
  if (!text.includes('"listening"')) throw new Error('The service did not start.')
  return took / 1000
}

const columnsRow = (name: string, target: Row['target'], isSaved: boolean): Row => ({
  name,
  unit: 's',
  target,
  async measure({ company, engine }) {
    const saved = join(company.folder, 'columns')
    // Makes the saved files: a service saves its columns when it stops, and the one that other rows measure still runs.
    if (isSaved) await startOnce(company, 'columns')
    else rmSync(saved, { recursive: true, force: true })
    const took = await startOnce(company, 'columns')
    return {
      value: took,
      raw: { s: round(took) },
      ...(engine === 'postgres' && isSaved ? { note: 'nothing is saved' } : {}),
    }
  },
})

export const startRows: Row[] = [
  columnsRow('start to lists from columns, first time', { sqlite: 10, postgres: 15 }, false),
  columnsRow('start to lists from columns, saved', { sqlite: 2, postgres: 15 }, true),
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
