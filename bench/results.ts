// Results → a file that can be compared with others: the machine, and every row with the figures behind it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { repository } from '../test/support/process.ts'
import type { Company } from './company.ts'
import type { Options } from './options.ts'
import type { Measured, Row } from './rows/row.ts'

// Measured before the benchmark does anything: much above 0 means that other programs are running.
const loadAtStart = significant(loadavg()[0] ?? 0)

export interface Result extends Measured {
  readonly row: Row
  readonly target: number
  readonly isPassed: boolean
  /** The share of the target that is used; above 1 the target is missed. */
  readonly used: number
}

export function judge(row: Row, engine: Company['engine'], measured: Measured): Result {
  const target = row.target[engine]
  const used = row.isLeast ? target / measured.value : measured.value / target
  if (!Number.isFinite(used)) throw new Error(`${row.name}: ${measured.value} is no measure.`)
  return { ...measured, row, target, used, isPassed: used <= 1 }
}

export function writeResults(company: Company, options: Options, results: readonly Result[]): string {
  const folder = join(repository, 'bench', 'results')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${company.engine}-${company.scale}.json`)
  const content = {
    engine: company.engine,
    scale: company.scale,
    documents: company.documents,
    quick: options.isQuick,
    date: new Date().toISOString(),
    commit: findCommit(),
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: availableParallelism(),
      memoryGb: Math.round(totalmem() / 1024 ** 3),
      node: process.version,
      platform: `${process.platform}-${process.arch}`,
      loadAtStart,
    },
    rows: results.map(({ row, value, target, isPassed, raw, deepestPage, note, peer }) => ({
      name: row.name,
      unit: row.unit,
      value: significant(value),
      target: `${row.isLeast ? '>=' : '<='} ${target}`,
      pass: isPassed,
      raw,
      deepestPage,
      note,
      peer: peer && { value: significant(peer.value), raw: peer.raw },
    })),
  }
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
  return file
}

function significant(value: number): number {
  return Number(value.toPrecision(4))
}

const git = (...words: string[]) =>
  execFileSync('git', words, { cwd: repository, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** With a plus if src or bin have uncommitted changes; undefined without git. */
function findCommit(): string | undefined {
  try {
    const isChanged = git('status', '--porcelain', '--', 'src', 'bin') !== ''
    return `${git('rev-parse', '--short', 'HEAD')}${isChanged ? '+' : ''}`
  } catch {
    return undefined
  }
}
