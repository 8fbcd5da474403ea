// A real PostgreSQL server of a test's own, on a loopback port and in a temporary folder: started from npm's binaries,
// killed, paused, started again, followed by a standby. It ends with the process that started it.
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, chmodSync, closeSync, cpSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { asServer, newFolder, ownFolder, pathOf, runProgram } from './postgres-binaries.ts'
import { freezeProcess } from './freeze.ts'
import { killAll, nameOf, processesIn, removeAll, signalAll, waitUntilGone } from './postgres-processes.ts'
import { signalOne } from './process-table.ts'

const startPatienceMs = 60_000

/** Nothing has to survive the machine; all that was committed survives a kill of the server. */
const testSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  max_connections: '300',
  max_prepared_transactions: '64',
  max_wal_size: '256MB',
  wal_keep_size: '64MB',
  wal_retrieve_retry_interval: '100ms',
  jit: 'off',
  // In the folder, where nothing is left behind.
  dynamic_shared_memory_type: 'mmap',
}

export interface PostgresOptions {
  readonly settings?: Readonly<Record<string, string>>
  /** A streaming standby of this server, which is stopped for the moment of the copy. */
  readonly standbyOf?: PostgresServer
  readonly port?: number
  /** The order of texts where a statement asks for none: a language as ICU names it, or C. No matter for a standby. */
  readonly locale?: string
}

export interface PostgresServer {
  /** Of the superuser. */
  readonly url: string
  readonly port: number
  readonly folder: string
  /** SIGKILL for all its processes. */
  kill(): Promise<void>
  /** Again, on the same port and data. */
  start(): Promise<void>
  stop(mode?: 'fast' | 'immediate'): Promise<void>
  /** SIGSTOP for all its processes: connections stay open, nothing answers. */
  pause(): void
  resume(): void
  /** What the server logged so far. */
  log(): string
  remove(): Promise<void>
}

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = newFolder()
  const data = join(folder, 'data')
  const port = options.port ?? (await freePort())
  const { standbyOf } = options
  const password = standbyOf ? new URL(standbyOf.url).password : randomBytes(16).toString('hex')
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const server = controlServer(folder, port, url)
  try {
    if (standbyOf) await copyData(standbyOf, data)
    else await initialise(folder, password, options.locale ?? 'en-US')
    appendFileSync(
      join(data, 'postgresql.conf'),
      writeSettings({
        ...(standbyOf ? { primary_conninfo: `${standbyOf.url}?application_name=${nameOf(folder)}` } : testSettings),
        ...options.settings,
        port: String(port),
        listen_addresses: '127.0.0.1',
        unix_socket_directories: '',
        cluster_name: nameOf(data),
        update_process_title: 'on',
      }),
    )
    await server.start()
  } catch (error) {
    await server.remove()
    throw error
  }
  return server
}

const writeSettings = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`)
    .join('')

async function initialise(folder: string, password: string, locale: string): Promise<void> {
  const file = join(folder, 'password')
  writeFileSync(file, password)
  ownFolder(folder)
  const order = locale === 'C' ? [] : ['--locale-provider=icu', `--icu-locale=${locale}`]
  const words = [
    '--username=postgres',
    `--pwfile=${file}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    ...order,
  ]
  await runProgram('initdb', ['-D', join(folder, 'data'), '--no-sync', '--no-instructions', ...words], folder)
}

async function copyData(primary: PostgresServer, data: string): Promise<void> {
  await primary.stop()
  cpSync(join(primary.folder, 'data'), data, { recursive: true })
  await primary.start()
  chmodSync(data, 0o700)
  writeFileSync(join(data, 'standby.signal'), '')
  ownFolder(data)
}

function controlServer(folder: string, port: number, url: string): PostgresServer {
  const data = join(folder, 'data')
  const logFile = join(folder, 'log')
  const log = () => readFileSync(logFile, 'utf8')
  let child: ChildProcess | undefined
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null

  return {
    url,
    port,
    folder,
    log,
    async start() {
      const output = openSync(logFile, 'a')
      child = spawn(pathOf('postgres'), ['-D', data], {
        ...asServer(folder),
        stdio: ['ignore', output, output],
        // Ctrl-C must reach only the runner; otherwise the server would stop under running tests.
        detached: true,
      })
      closeSync(output)
      child.unref()
      await waitUntilReady(child, data, log)
    },
    async stop(mode = 'fast') {
      this.resume()
      if (child?.pid) signalOne(child.pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
      if (!(await waitUntilGone(folder))) await killAll(folder)
    },
    async kill() {
      await killAll(folder)
      // Until its end was noticed here, the next start would take it for a running server.
      while (isRunning()) await wait(5)
    },
    // Twice: a process that was being born escapes the first round, and after it none is born any more.
    pause() {
      for (let round = 1; round <= 2; round += 1) processesIn(folder).forEach(freezeProcess)
    },
    resume: () => signalAll(folder, 'SIGCONT'),
    remove: () => removeAll(folder),
  }
}

/** The server writes how it is into the file with its process id; a standby is ready once it can be read from. */
async function waitUntilReady(child: ChildProcess, data: string, log: () => string): Promise<void> {
  const end = performance.now() + startPatienceMs
  let fault: unknown
  child.once('error', (error) => (fault = error))
  while (!isReady(child, data)) {
    if (fault !== undefined || child.exitCode !== null || child.signalCode !== null || performance.now() > end) {
      throw new Error(`PostgreSQL did not start:\n${log()}`, { cause: fault })
    }
    await wait(5)
  }
}

function isReady(child: ChildProcess, data: string): boolean {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
    return Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready'
  } catch {
    return false
  }
}
