// Starts the service on a company as an operator does, with its log in a file, and renews tokens before they expire.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { collections } from '../src/catalogue/collections.ts'
import { cleanEnvironment, freePorts } from '../test/support/process.ts'
import { ask, type Place } from './ask.ts'
import type { Company, Finished } from './company.ts'
import { atEnd } from './ending.ts'
import { ownProgram, readOrEmpty, servicePidFile, until } from './left-over.ts'
import { between, invoices } from './samples.ts'

export type KeyName = keyof Finished['keys']

export interface Service {
  readonly place: Place
  readonly pid: number
  stop(): Promise<void>
  /** The private key of its certificate, for servers that are compared with it. */
  readonly key: string
  token(key?: KeyName): Promise<string>
  /** The total of a list. */
  total(path: string, key?: KeyName): Promise<number>
  /** Lists are served from columns, after a time in which the tills wrote and nobody asked. */
  untilColumns(): Promise<void>
  /** How many requests of a route were answered so far and how long that took, as the service itself measures it. */
  timesOf(route: string): Promise<{ readonly count: number; readonly seconds: number }>
}

// Tokens last 15 minutes.
const tokenMinutes = 10

/** Another instance has a folder of its own. */
export async function startService(
  company: Pick<Company, 'folder' | 'settings' | 'keys'>,
  folder = company.folder,
  program = ownProgram,
): Promise<Service> {
  mkdirSync(folder, { recursive: true })
  const logFile = join(folder, 'service.log')
  const log = openSync(logFile, 'w')
  const child = spawn(process.execPath, [program, 'serve', '--json'], {
    stdio: ['ignore', log, log],
    cwd: folder,
    env: cleanEnvironment({ ...freePorts, ...company.settings, VITRINE_DATA_DIR: folder }),
  })
  closeSync(log)
  writeFileSync(servicePidFile(folder), String(child.pid))
  const ended = once(child, 'exit')
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await ended
    for (const file of [logFile, servicePidFile(folder)]) rmSync(file, { force: true })
  }
  atEnd(stop)
  const { https, console } = await listeningPorts(logFile, () => child.exitCode !== null || child.signalCode !== null)
  await untilColumns(logFile)
  const place = { port: https, ca: readFileSync(join(folder, 'development-cert.pem'), 'utf8') }
  const tokens = new Map<KeyName, { text: string; endsAt: number }>()
  const token = async (name: KeyName = 'all') => {
    const known = tokens.get(name)
    if (known && known.endsAt > performance.now()) return known.text
    const text = await signIn(place, company.keys[name])
    tokens.set(name, { text, endsAt: performance.now() + tokenMinutes * 60_000 })
    return text
  }
  return {
    place,
    pid: child.pid ?? 0,
    stop,
    key: readFileSync(join(folder, 'development-key.pem'), 'utf8'),
    token,
    async total(path, name) {
      const { headers } = await ask(place, path, { token: await token(name) })
      return Number(headers['x-total-count'])
    },
    async untilColumns() {
      for (;;) {
        await ask(place, `${invoices}?per_page=1&page=${between(1, 1000)}`, { token: await token() })
        const { body } = await ask({ ...place, port: console }, '/metrics')
        if (!/^vitrine_list_columns\{.*\} 0$/m.test(body.toString())) return
        await wait(100)
      }
    },
    async timesOf(route) {
      const { body } = await ask({ ...place, port: console }, '/metrics')
      const read = (name: string) =>
        Number(
          new RegExp(`^vitrine_request_seconds_${name}\\{route="${route}"\\} (.*)$`, 'm').exec(body.toString())?.[1] ??
            0,
        )
      return { count: read('count'), seconds: read('sum') }
    },
  }
}

async function listeningPorts(logFile: string, hasEnded: () => boolean) {
  const line = await until('the service listens', () => {
    const found = /^\{"event":"listening".*$/m.exec(readOrEmpty(logFile))
    if (!found && hasEnded()) throw new Error(`The service did not start:\n${readOrEmpty(logFile)}`)
    return found?.[0]
  })
  return JSON.parse(line) as { https: number; console: number }
}

// The rows measure lists from columns. How long loading takes is a row of its own.
const untilColumns = (logFile: string) =>
  until('lists are served from columns', () => countColumns(readOrEmpty(logFile)) >= collections.length)

export const countColumns = (log: string) => log.split('"event":"lists_by_columns"').length - 1

async function signIn(place: Place, { client_id, client_secret }: Finished['keys']['all']): Promise<string> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }).toString()
  // A random loopback address, because token requests are limited per address.
  const localAddress = `127.0.${1 + Math.floor(Math.random() * 200)}.${1 + Math.floor(Math.random() * 200)}`
  const { body } = await ask(place, '/api/v1/auth/token', { form, localAddress })
  return (JSON.parse(body.toString('utf8')) as { access_token: string }).access_token
}
