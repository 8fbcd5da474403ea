// `vitrine demo`: makes the demo company in the connected database. Its keys are made by `serve --demo`.
import { OperatorError } from '../errors.ts'
import type { DemoPlace } from '../../demo/place.ts'
import { secondsSince } from '../operate/progress.ts'
import { withProgress, type Output } from './output.ts'
import { refuseFaults, type Runnable } from './command.ts'
import { createKey, type KeyInput, type NewKey } from '../keys/keys.ts'
import type { State } from '../state/state.ts'

const mostScale = 500
const mostSeed = 0xffff_ffff
const defaults = { scale: '1', seed: '1' }

export const demo: Runnable = {
  name: 'demo',
  isStateless: true,
  summary: 'Makes the demo company in the connected database.',
  details:
    'Scale 1 is about 20,000 documents, 50 is one million. The same seed makes the same company, on SQLite and on PostgreSQL.',
  options: [
    { name: 'scale', value: 'N', help: `The size, up to ${mostScale} (default: ${defaults.scale}).` },
    { name: 'seed', value: 'S', help: `The random seed, a whole number (default: ${defaults.seed}).` },
    { name: 'force', help: 'Replaces existing data, even if it is not a demo company.' },
  ],
  async run({ options, flags, settings, output }) {
    const { scale, seed, faults } = readOptions(options)
    const { demoPlace } = await import('../../demo/load-sqlite.ts')
    const place = await demoPlace(settings.databaseUrl)
    faults.push(...placeFaults(place.name, await place.holds(), flags.has('force')))
    if (faults.length > 0) throw new OperatorError(faults.join('\n'))
    const startedAt = performance.now()
    const { documents, rows } = await makeDemo(place, scale, seed, output)
    const seconds = secondsSince(startedAt)
    const text = `The demo company is in ${place.name}: ${documents.toLocaleString('en-US')} documents in ${seconds} s.`
    output.result({ database: place.name, scale, seed, documents, rows, seconds }, text)
  },
}

export const makeDemo = (place: DemoPlace, scale: number, seed: number, output: Output) =>
  withProgress(output, (onProgress) => place.load({ scale, seed, onProgress }))

function placeFaults(name: string, holds: Awaited<ReturnType<DemoPlace['holds']>>, isForced: boolean): string[] {
  if (holds === 'nothing') return []
  if (holds === 'something else')
    return [`What is in ${name} is not a database of Vitrine's making; it is not replaced.`]
  if (isForced) return []
  return holds === 'demo'
    ? [`There is a demo company in ${name} already; --force replaces it.`]
    : [`There is data in ${name} that is not the demo company; --force deletes it for good.`]
}

function readOptions(options: Readonly<Record<string, string>>): { scale: number; seed: number; faults: string[] } {
  const scaleText = options['scale'] ?? defaults.scale
  const seedText = options['seed'] ?? defaults.seed
  const [scale, seed] = [Number(scaleText), Number(seedText)]
  const faults: string[] = []
  if (!/^\d+(\.\d+)?$/.test(scaleText) || scale <= 0 || scale > mostScale)
    faults.push(`--scale is a number above 0 and up to ${mostScale}, not "${scaleText}".`)
  if (!/^\d+$/.test(seedText) || seed > mostSeed)
    faults.push(`--seed is a whole number from 0 to ${mostSeed}, not "${seedText}".`)
  return { scale, seed, faults }
}

// One key for each kind of restriction.
const demoKeys: readonly (KeyInput & { readonly name: string })[] = [
  { name: 'Demo: everything', permissions: 'all', rate: '600' },
  { name: 'Demo: web shop, one price list', permissions: 'products:read,reference:read', priceList: '2' },
  {
    name: 'Demo: ledger, with balances, without costs',
    permissions:
      'customers:read,invoices:read,credit-memos:read,payments:read,receivings:read,reference:read,customers:financial',
  },
  { name: 'Demo: two stores, with costs', permissions: 'all', stores: '1,2' },
  { name: 'Demo: no store at all', permissions: 'all', stores: 'none' },
]

export async function makeDemoKeys(state: State): Promise<NewKey[]> {
  const made: NewKey[] = []
  for (const input of demoKeys) made.push(refuseFaults(await createKey(state, input)))
  return made
}
