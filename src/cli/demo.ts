// `vitrine demo`: makes the demo company in the connected database.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import process from 'node:process'
import { sqlitePath } from '../engine/open.ts'
import { OperatorError } from '../errors.ts'
import { makeFolder } from '../files.ts'
import { readSqliteHeader } from '../sqlite.ts'
import { loadSqlite } from '../tools/demo/load-sqlite.ts'
import { progressBar } from './progress.ts'
import type { Runnable } from './runnable.ts'

const mostScale = 500
const mostSeed = 0xffff_ffff
const defaults = { scale: '1', seed: '1' }

export const demo: Runnable = {
  name: 'demo',
  summary: 'Makes the demo company in the connected database.',
  details: 'Scale 1 is about 20,000 documents, 50 is one million. The same seed gives the same company.',
  operands: [],
  options: [
    { name: 'scale', value: 'N', help: `How large, up to ${mostScale} (default: ${defaults.scale}).` },
    { name: 'seed', value: 'S', help: `Which company, a whole number (default: ${defaults.seed}).` },
    { name: 'force', help: 'Replaces the database that is there.' },
  ],
  run({ options, flags, settings, output }) {
    const path = sqlitePath(settings.databaseUrl)
    const { scale, seed, faults } = readOptions(options)
    faults.push(...placeFaults(path, flags.has('force')))
    if (faults.length > 0) throw new OperatorError(faults.join('\n'))
    const startedAt = performance.now()
    const { documents, rows } = makeDemo(path, scale, seed, output.isJson)
    const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(1))
    const text = `The demo company is in ${path}: ${documents.toLocaleString('en-US')} documents in ${seconds} s.`
    output.result({ database: path, scale, seed, documents, rows, seconds }, text)
  },
}

export function makeDemo(path: string, scale: number, seed: number, isQuiet: boolean) {
  makeFolder(dirname(path))
  const bar = progressBar({ stream: process.stderr, quiet: isQuiet })
  try {
    const made = loadSqlite({ path, scale, seed, onProgress: (step) => bar.update(step) })
    bar.finish()
    return made
  } catch (error) {
    bar.clear()
    throw error
  }
}

function placeFaults(path: string, isForced: boolean): string[] {
  if (!existsSync(path)) return []
  if (!readSqliteHeader(path)) return [`${path} is not a SQLite database; it is not replaced.`]
  return isForced ? [] : [`There is a database at ${path} already; --force replaces it.`]
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
