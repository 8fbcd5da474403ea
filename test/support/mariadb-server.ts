// A real MariaDB server of a test's own, Debian's `mariadb-server`, on a loopback port and in a temporary folder. Both end with
// the process that started them.
import assert from 'node:assert/strict'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Socket } from 'node:net'
import { promisify } from 'node:util'
import { createConnection } from 'mysql2'
import type { MysqlUrl } from '../../src/platform/mysql/url.ts'
import { freezeProcess } from './freeze.ts'
import { freePort } from './free-port.ts'
import { until } from './process.ts'

const program = '/usr/sbin/mariadbd'
const mayBeMissing = !process.env['VITRINE_TEST_NEEDS_MARIADB']

/** For `skip`: why there is no server, or false. Where VITRINE_TEST_NEEDS_MARIADB is set, a missing one is a failure. */
export const noMariadb: string | false =
  mayBeMissing && !existsSync(program) && 'MariaDB is not installed here: apt-get install mariadb-server'

export type MariadbServer = Awaited<ReturnType<typeof startMariadb>>

const reader = { user: 'vitrine_reader', password: 'reads/only' }

/** The zone of the server itself; it knows no other by name. */
export const mariadbZone = 'America/Port-au-Prince'

export async function startMariadb(options: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-mariadb-'))
  const [data, socket, port] = [join(folder, 'data'), join(folder, 'socket'), await freePort()]
  const user = userInfo().username
  await promisify(execFile)('mariadb-install-db', [
    '--no-defaults',
    `--datadir=${data}`,
    `--tmpdir=${folder}`,
    `--user=${user}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ])
  const setUp = join(folder, 'set-up.sql')
  // Each statement on a line of its own.
  writeFileSync(
    setUp,
    `CREATE USER IF NOT EXISTS ${reader.user}@'%' IDENTIFIED BY '${reader.password}';\nGRANT SELECT ON *.* TO ${reader.user}@'%';\n`,
  )
  const words = [
    '--no-defaults',
    `--datadir=${data}`,
    `--tmpdir=${folder}`,
    `--socket=${socket}`,
    `--port=${port}`,
    `--user=${user}`,
    `--init-file=${setUp}`,
    '--bind-address=127.0.0.1',
    '--skip-name-resolve',
    '--innodb-buffer-pool-size=64M',
    '--innodb-flush-log-at-trx-commit=0',
    '--innodb-flush-method=nosync',
    ...options,
  ]
  let child: ChildProcess | undefined
  const endChild = () => child?.kill('SIGKILL')
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  const endWithProcess = () => {
    endChild()
    removeFolder()
  }
  const start = async () => {
    child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, TZ: mariadbZone } })
    let log = ''
    child.stderr?.on('data', (text: Buffer) => (log += text.toString()))
    // It does not keep the process of the test alive.
    child.unref()
    ;(child.stderr as Socket | null)?.unref()
    await until('MariaDB is ready', () => child?.exitCode !== null || log.includes('ready for connections'))
    if (!log.includes('ready for connections')) throw new Error(`MariaDB did not start:\n${log}`)
  }
  process.once('exit', endWithProcess)
  await start()
  const ask = async (statement: string) => {
    const root = createConnection({ socketPath: socket, user: 'root', multipleStatements: true, rowsAsArray: true })
    try {
      return await new Promise<unknown[][]>((resolve, reject) =>
        root.query(statement, (error, rows) => (error ? reject(error) : resolve(rows as unknown as unknown[][]))),
      )
    } finally {
      root.destroy()
    }
  }
  const stop = async () => {
    const ended = child && child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    child?.ref()
    endChild()
    await ended
  }
  return {
    port,
    /** As the superuser; several statements at once. */
    ask,
    /** As a role that may only read. */
    url: (database: string): MysqlUrl => ({
      kind: 'mysql',
      host: '127.0.0.1',
      port,
      ...reader,
      database,
      timeZone: null,
      tls: { mode: 'off', rootCert: null, cert: null, key: null },
    }),
    address: (database: string) =>
      `mysql://${reader.user}:${encodeURIComponent(reader.password)}@127.0.0.1:${port}/${database}`,
    start,
    stop,
    /** It keeps its connections, and answers nothing until it is thawed. */
    freeze: () => freezeProcess(child?.pid ?? assert.fail('It is not running.')),
    thaw: () => child?.kill('SIGCONT'),
    async remove() {
      await stop()
      process.off('exit', endWithProcess)
      removeFolder()
    },
  }
}

let shared: Promise<MariadbServer> | undefined

/** One for all tests of this process, which ends with it. */
export function sharedMariadb(): Promise<MariadbServer> {
  shared ??= startMariadb()
  return shared
}
