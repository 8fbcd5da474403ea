// `npm run bench`: makes or finds the data, measures every row on both engines, prints them with their targets and writes
// bench/results. A missed target is a result (status 0); a row that could not be measured is a failure (status 1).
import { relative } from 'node:path'
import { openBench } from './bench.ts'
import type { EngineName } from './company.ts'
import { endAll } from './ending.ts'
import { readOptions, usage, type Options } from './options.ts'
import { chart, notes, table } from './report.ts'
import { judge, writeResults, type Result } from './results.ts'
import { rows } from './rows/index.ts'

const startedAt = performance.now()

function say(text: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  process.stderr.write(`${seconds.padStart(4)} s  ${text}\n`)
}

async function measureEngine(engine: EngineName, options: Options): Promise<void> {
  const chosen = rows
    .filter(({ engines = [engine] }) => engines.includes(engine))
    .filter(({ name, isLong }) =>
      options.only === undefined ? !(isLong && options.isQuick) : name.includes(options.only),
    )
  if (chosen.length === 0) throw new Error(`No row has "${options.only}" in its name.`)
  const bench = await openBench(options, engine, (text) => say(`${engine}: ${text}`))
  const results: Result[] = []
  for (const row of chosen) {
    await (row.isWriting ? bench.startWriting() : bench.stopWriting())
    if (!row.hasSecond) await bench.stopSecond()
    say(`${engine}: ${row.name}`)
    results.push(judge(row, engine, await row.measure(bench)))
  }
  await endAll()
  const columns = process.stdout.columns ?? 80
  const size = `scale ${bench.company.scale}, ${bench.company.documents.toLocaleString('en')} documents`
  console.log(`\n${engine}, ${size}\n\n${table(results, columns)}\n\n${chart(results, columns)}\n\n${notes(results)}`)
  // The results file always has all rows.
  if (options.only !== undefined) return
  console.log(`Written to ${relative(process.cwd(), writeResults(bench.company, options, results))}.`)
}

function read(): Options {
  try {
    return readOptions(process.argv.slice(2))
  } catch (error) {
    console.error(`${(error as Error).message}\nUsage: ${usage}`)
    process.exit(2)
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void endAll().finally(() => process.exit(130)))
}
const options = read()
try {
  for (const engine of options.engines) await measureEngine(engine, options)
} catch (error) {
  console.error(error)
  process.exitCode = 1
  await endAll().catch((fault: unknown) => console.error(fault))
}
