// A PostgreSQL server whose data stays between runs. It uses npm's binaries, as the tests do, but with the settings of a
// production server.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, openSync, closeSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../test/support/free-port.ts'
import { asServer, ownFolder, pathOf, runProgram } from '../test/support/postgres-binaries.ts'
import { atEnd } from './ending.ts'
import { readOrEmpty, stopLeftOver, until } from './left-over.ts'

const settings = {
  fsync: 'on',
  shared_buffers: '512MB',
  max_wal_size: '4GB',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
}

/** Returns the URL of the server. Makes the folder if it does not exist. */
export async function startKeptServer(folder: string): Promise<string> {
  const data = join(folder, 'data')
  if (!existsSync(join(data, 'PG_VERSION'))) await initialise(folder, data)
  const port = await freePort()
  const words = Object.entries({ ...settings, port: String(port) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const log = openSync(join(folder, 'log'), 'w')
  const child = spawn(pathOf('postgres'), ['-D', data, ...words], {
    ...asServer(folder),
    stdio: ['ignore', log, log],
    // Ctrl-C must not stop the server: the benchmark may have rows to restore first.
    detached: true,
  })
  closeSync(log)
  const ended = once(child, 'exit')
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  atEnd(async () => {
    if (!hasEnded()) child.kill('SIGINT')
    await ended
  })
  await until('PostgreSQL has started', () => {
    if (hasEnded()) throw new Error(`PostgreSQL did not start:\n${readFileSync(join(folder, 'log'), 'utf8')}`)
    const lines = readOrEmpty(pidFile(data)).split('\n')
    return lines[0] === String(child.pid) && lines[7]?.trim() === 'ready'
  })
  const password = readFileSync(join(folder, 'password'), 'utf8')
  return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
}

async function initialise(folder: string, data: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'password')
  writeFileSync(file, randomBytes(16).toString('hex'))
  ownFolder(folder)
  const words = ['--username=postgres', `--pwfile=${file}`, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C']
  await runProgram('initdb', ['-D', data, '--no-instructions', ...words], folder)
}

const pidFile = (data: string) => join(data, 'postmaster.pid')

export const stopKeptServer = (folder: string) => {
  const data = join(folder, 'data')
  return stopLeftOver(pidFile(data), data, 'SIGINT')
}
