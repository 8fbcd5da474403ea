// PgBouncer in session mode before a PostgreSQL server, as an account that may run it, with everything it writes in a folder of its own.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { asServer, newFolder, ownFolder } from './postgres-binaries.ts'
import type { PostgresServer } from './postgres-server.ts'
import { until } from './process.ts'

const program = '/usr/sbin/pgbouncer'
export const pgbouncerMissing = (): string | false => (existsSync(program) ? false : 'PgBouncer is not installed here')

const configuration = (port: number, server: PostgresServer) => `
[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = users.txt
pool_mode = session
default_pool_size = 40
`

export async function startPgbouncer(server: PostgresServer) {
  const [folder, port] = [newFolder(), await freePort()]
  const { username, password } = new URL(server.url)
  writeFileSync(join(folder, 'users.txt'), `"${username}" "${password}"\n`)
  writeFileSync(join(folder, 'pgbouncer.ini'), configuration(port, server))
  ownFolder(folder)
  const url = new URL(server.url)
  url.port = String(port)
  let child: ChildProcess | undefined
  const listens = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
  const bouncer = {
    url: url.href,
    async start() {
      child = spawn(program, ['-q', 'pgbouncer.ini'], { ...asServer(folder), stdio: 'ignore' })
      await until('PgBouncer listens', listens)
    },
    async stop() {
      if (child?.exitCode !== null || !child.kill('SIGTERM')) return
      const ended = once(child, 'exit')
      // The first waits for its clients.
      child.kill('SIGQUIT')
      await ended
    },
  }
  await bouncer.start()
  return bouncer
}

export type Pgbouncer = Awaited<ReturnType<typeof startPgbouncer>>
