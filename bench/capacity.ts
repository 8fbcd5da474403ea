// What a request costs: processor time of the service and of the database server, and how long callers wait, by kind of
// request, by size of the company, and for one, two and four instances on one PostgreSQL server. Run it with:
// node bin/node.mjs bench/capacity.ts [postgres|sqlite] [scale …]
import { availableParallelism, cpus } from 'node:os'
import { Agent } from 'node:https'
import { startPostgres } from '../test/support/postgres.ts'
import {
  cleanEnvironment,
  repository,
  startProcess,
  startServer,
  temporaryFolder,
  type Server,
  type Settings,
} from '../test/support/process.ts'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { processesIn } from '../test/support/postgres-processes.ts'
import { cpuOf, residentMb } from './cpu.ts'

const secondsEach = 4
const connections = 8

type Workload = readonly [name: string, path: (turn: number) => string]

const workloads = (invoices: readonly number[]): Workload[] => [
  ['ping', () => '/ping'],
  ['detail of an invoice', (turn) => `/invoices/${invoices[turn % invoices.length]}`],
  ['list of stores', () => '/stores'],
  ['customers, first page of 25', () => '/customers'],
  ['invoices, first page of 25', () => '/invoices'],
  ['invoices of a customer', (turn) => `/invoices?customer_id=${1 + (turn % 500)}`],
  ['invoices changed since', () => '/invoices?updated_since=2026-09-25T00:00:00&sort=updated_at&per_page=100'],
  ['invoices, page 100 of 100', () => '/invoices?page=100&per_page=100'],
  ['products, page of 100', (turn) => `/products?per_page=100&page=${1 + (turn % 5)}`],
  ['search of products', (turn) => `/products?search=${['riz', 'ciment', 'huile', 'tole'][turn % 4]}`],
]

interface Measured {
  readonly perSecond: number
  readonly serviceMs: number
  readonly databaseMs: number
  readonly medianMs: number
  readonly slowMs: number
}

async function measure(
  servers: readonly Server[],
  token: string,
  database: () => readonly number[],
  path: (turn: number) => string,
): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const service = servers.map(({ child }) => child.pid ?? 0)
  const times: number[] = []
  let turn = 0
  const ask = async () => {
    turn += 1
    const startedAt = performance.now()
    const server = servers[turn % servers.length] as Server
    const { status, text } = await server.ask(path(turn), { token, agent })
    if (status !== 200) throw new Error(`${path(turn)}: ${text}`)
    times.push(performance.now() - startedAt)
  }
  for (let warm = 0; warm < 20; warm += 1) await ask()
  times.length = 0
  const before = { service: cpuOf(service), database: cpuOf(database()) }
  const startedAt = performance.now()
  const worker = async () => {
    while (performance.now() - startedAt < secondsEach * 1000) await ask()
  }
  await Promise.all(Array.from({ length: connections }, worker))
  const seconds = (performance.now() - startedAt) / 1000
  agent.destroy()
  const sorted = times.toSorted((one, other) => one - other)
  return {
    perSecond: times.length / seconds,
    serviceMs: (cpuOf(service) - before.service) / times.length,
    databaseMs: (cpuOf(database()) - before.database) / times.length,
    medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
    slowMs: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
  }
}

// Without a timeout.
const runToEnd = (words: readonly string[], settings: Settings) =>
  startProcess(process.execPath, [join(repository, 'bin', 'vitrine.mjs'), ...words], {
    env: cleanEnvironment(settings),
  }).ended

async function measureCompany(kind: string, scale: number): Promise<void> {
  const folder = temporaryFolder('vitrine-bench-')
  const postgres = kind === 'postgres' ? await startPostgres({ settings: serverSettings }) : undefined
  const servers: Server[] = []
  const settings = {
    VITRINE_DATA_DIR: folder,
    VITRINE_STATEMENT_TIMEOUT_MS: '60000',
    // No limit: one key makes all requests.
    VITRINE_KEY_BUDGET_MS: '0',
    ...(postgres
      ? { VITRINE_DATABASE_URL: postgres.url, VITRINE_STATE_URL: postgres.url }
      : { VITRINE_DATABASE_URL: `sqlite:${join(folder, 'pos.db')}` }),
  }
  try {
    const loaded = await runToEnd(['demo', '--json', '--scale', String(scale)], settings)
    if (loaded.status !== 0) throw new Error(loaded.stderr)
    const { documents, seconds } = JSON.parse(loaded.stdout) as { documents: number; seconds: number }
    const database = () => (postgres ? processesIn(postgres.folder) : [])
    console.log(`\n### ${kind}, ${documents.toLocaleString('en')} documents (loaded in ${seconds} s)\n`)
    console.log('| instances | request | a second | services, CPU ms | database, CPU ms | median ms | 99 % ms |')
    console.log('|---|---|---|---|---|---|---|')
    for (const count of postgres ? [1, 2, 4] : [1]) {
      while (servers.length < count) {
        const own = servers.length === 0 ? folder : join(folder, `instance-${servers.length}`)
        servers.push(await startServer({ folder: own, settings: { ...settings, VITRINE_DATA_DIR: own } }))
      }
      const [first] = servers as [Server]
      const token = await first.token()
      const { body } = await first.ask('/invoices?per_page=100', { token })
      const invoices = body.data.map(({ id }: { id: number }) => id) as number[]
      for (const [name, path] of workloads(invoices)) {
        const one = await measure(servers, token, database, path)
        const cells = [one.perSecond.toFixed(0), one.serviceMs.toFixed(2), one.databaseMs.toFixed(2)]
        console.log(
          `| ${count} | ${name} | ${[...cells, one.medianMs.toFixed(1), one.slowMs.toFixed(1)].join(' | ')} |`,
        )
      }
      const memory = servers.map(({ child }) => residentMb(child.pid ?? 0))
      console.log(`| ${count} | memory, MB | ${memory.join(', ')} | | | | |`)
    }
  } finally {
    for (const server of servers) await server.stop()
    await postgres?.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

// The settings of a production server, not of a test.
const serverSettings = { fsync: 'on', full_page_writes: 'on', shared_buffers: '512MB', max_wal_size: '4GB' }

const [kind = 'postgres', ...scales] = process.argv.slice(2)
console.log(
  `${availableParallelism()} cores, ${cpus()[0]?.model}; ${connections} connections over TLS on loopback; the`,
)
console.log(
  'load is made on the same machine, so that the rates are lower bounds; the CPU figures are hardly touched by it.',
)
for (const scale of scales.length > 0 ? scales : ['1']) await measureCompany(kind, Number(scale))
