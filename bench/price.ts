// What a request costs against another build: processor time of the service and of the database server, in turns, so that other work of
// the machine affects both. Run it with: node bin/node.mjs bench/price.ts FOLDER [sqlite|postgres]
// FOLDER is a checkout of the other build, after `npm ci`.
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startPostgres } from '../test/support/postgres.ts'
import { processesIn } from '../test/support/postgres-processes.ts'
import { repository, temporaryFolder } from '../test/support/process.ts'
import { make } from './company.ts'
import { cpuOf } from './cpu.ts'
import { atEnd, endAll } from './ending.ts'
import { startGenerator } from './load/generator.ts'
import { openQueries } from './queries.ts'
import { api, detailPaths, invoices } from './samples.ts'
import { startService, type Service } from './service.ts'
import { median } from './statistics.ts'

const connections = 4
const secondsEach = 1
const rounds = 7

// More than the service remembers.
const pages = (perPage: number, count: number) =>
  ['id', '-id', 'total', '-total', 'date', '-date'].flatMap((sort) =>
    Array.from({ length: count }, (_, at) => `${invoices}?per_page=${perPage}&page=${1 + at}&sort=${sort}`),
  )
const fixed: Readonly<Record<string, readonly string[]>> = {
  '/ping': [`${api}/ping`],
  'remembered, 2 records': [`${invoices}?per_page=2`],
  'remembered, 25 records': [`${invoices}?per_page=25`],
  'remembered, 100 records': [`${invoices}?per_page=100`],
  'read, 1 record': pages(1, 3000),
  'read, 25 records': pages(25, 400),
  'read, 100 records': pages(100, 100),
}

async function start(root: string, url: string | undefined) {
  const folder = temporaryFolder('vitrine-price-')
  atEnd(async () => rmSync(folder, { recursive: true, force: true }))
  const program = join(root, 'bin', 'vitrine.mjs')
  const database = url ?? `sqlite:${join(folder, 'pos.db')}`
  const settings = {
    VITRINE_DATA_DIR: folder,
    VITRINE_KEY_BUDGET_MS: '3600000',
    VITRINE_DATABASE_URL: database,
    ...(url === undefined ? {} : { VITRINE_STATE_URL: url }),
  }
  const { keys } = await make(settings, 1, program)
  return { service: await startService({ folder, settings, keys }, folder, program), database }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void endAll().finally(() => process.exit(130)))
}
const [other, engine = 'sqlite'] = process.argv.slice(2)
if (other === undefined) throw new Error('Which build is it compared with? Give the folder of its checkout.')
try {
  const postgres = engine === 'postgres' ? await startPostgres() : undefined
  if (postgres) atEnd(() => postgres.remove())
  const builds: Service[] = []
  let details: readonly string[] = []
  for (const [name, root] of [
    ['before', resolve(other)],
    ['now', repository],
  ] as const) {
    const url = postgres && new URL(postgres.url)
    if (url) {
      const queries = await openQueries(url.href)
      await queries.rows(`CREATE DATABASE ${name}`)
      await queries.close()
      url.pathname = `/${name}`
    }
    const { service, database } = await start(root, url?.href)
    builds.push(service)
    const queries = await openQueries(database)
    // Both databases have the same rows.
    details = await detailPaths(queries, 3000)
    await queries.close()
  }
  const generator = startGenerator(0)
  console.log(
    '| request | bytes | service before, µs | now | × | database before, µs | now |\n|---|---|---|---|---|---|---|',
  )
  for (const [name, paths] of Object.entries({ ...fixed, detail: details })) {
    const costs = builds.map(() => ({ service: [] as number[], database: [] as number[] }))
    let bytes = 0
    for (let turn = 0; turn <= rounds; turn += 1)
      for (const [at, build] of builds.entries()) {
        const { pid, place } = build
        const token = await build.token()
        const used = () => [cpuOf([pid]), postgres ? cpuOf(processesIn(postgres.folder)) : 0] as const
        const before = used()
        const done = await generator.ask({ place, token, paths, connections, seconds: secondsEach })
        const after = used()
        bytes = done.bytes / done.times.length
        // The first round is a warm-up.
        if (turn === 0) continue
        costs[at]?.service.push((1000 * (after[0] - before[0])) / done.times.length)
        costs[at]?.database.push((1000 * (after[1] - before[1])) / done.times.length)
      }
    const [before, now] = costs.map(({ service, database }) => [median(service), median(database)] as const)
    if (!before || !now) continue
    const cells = [bytes, before[0], now[0]].map((figure) => figure.toFixed(0))
    console.log(
      `| ${[name, ...cells, (now[0] / before[0]).toFixed(2), before[1].toFixed(0), now[1].toFixed(0)].join(' | ')} |`,
    )
  }
} finally {
  await endAll()
}
