// Vitrine as real processes: the service on ports of its own, a command to its end, and requests over real sockets.
import assert from 'node:assert/strict'
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { hash } from 'node:crypto'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request as requestPlain } from 'node:http'
import { request as requestTls, type RequestOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { makeKey, runCommand, type NewKey, type Settings } from './run-command.ts'
import { makePos, type Rows } from './pos.ts'

export type { NewKey, Settings }

export const repository = join(import.meta.dirname, '..', '..')
export const program = join(repository, 'bin', 'vitrine.mjs')
/** Tests start the program hundreds of times: kept compiled, it starts in a third of the time. */
export const compiledFolder = join(repository, 'node_modules', '.cache', 'node-compile')

// Two busy cores: what takes a third of a second alone may take many.
export const patienceMs = 60_000

export function temporaryFolder(name = 'vitrine-io-'): string {
  return mkdtempSync(join(tmpdir(), name))
}

/** The environment of the tests without the user's Vitrine settings. */
export function cleanEnvironment(settings: Settings = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(VITRINE_|npm_|NODE_OPTIONS$|NODE_TEST_CONTEXT$|NO_COLOR$|FORCE_COLOR$)/.test(name),
  )
  return { NODE_COMPILE_CACHE: compiledFolder, ...Object.fromEntries(kept), ...settings }
}

export const freePorts = { VITRINE_PORT: '0', VITRINE_HTTP_PORT: '0', VITRINE_CONSOLE_PORT: '0' }

/** `seen` returns the actual state, for the message. */
export async function until<Value>(
  what: string,
  find: () => Value | Promise<Value>,
  seen = () => '',
  mostMs = patienceMs,
): Promise<NonNullable<Value>> {
  const end = performance.now() + mostMs
  for (;;) {
    const found = await find()
    if (found) return found
    if (performance.now() > end) assert.fail(`waited ${mostMs} ms in vain until ${what} ${seen()}`.trim())
    await wait(10)
  }
}

/** Repeats an action, at least once, until the promise settles. */
export async function meanwhile<Value>(late: Promise<Value>, act: () => Promise<void>): Promise<Value> {
  const settled = late.then(
    () => true,
    () => true,
  )
  do await act()
  while (!(await Promise.race([settled, Promise.resolve(false)])))
  return late
}

export interface Ended {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  readonly stdout: () => string
  readonly stderr: () => string
  readonly ended: Promise<Ended>
}

export function startProcess(
  file: string,
  words: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; group?: boolean; uid?: number | undefined } = {},
): Started {
  const child = spawn(file, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: options.cwd ?? tmpdir(),
    env: options.env ?? cleanEnvironment(),
    detached: options.group ?? false,
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = once(child, 'close').then(([status, signal]) => ({
    status: status as number | null,
    signal: signal as NodeJS.Signals | null,
    stdout,
    stderr,
  }))
  return { child, stdout: () => stdout, stderr: () => stderr, ended }
}

/** A command of the command line, to its end. Its standard input is empty, or one line. */
export async function runVitrine(
  words: readonly string[],
  settings: Settings = {},
  cwd = tmpdir(),
  line?: string,
): Promise<Ended> {
  const command = [process.execPath, program, ...words]
  const [file = '', ...rest] =
    line === undefined ? command : ['sh', '-c', `printf '%s\\n' "$0" | "$@"`, line, ...command]
  const started = startProcess(file, rest, { cwd, env: cleanEnvironment(settings) })
  const timer = setTimeout(() => started.child.kill('SIGKILL'), 2 * patienceMs)
  try {
    return await started.ended
  } finally {
    clearTimeout(timer)
  }
}

export interface ServerOptions {
  readonly rows?: Rows
  readonly settings?: Settings
  /** A data folder that another start made. */
  readonly folder?: string
  /** Makes the POS database, where a few rows are not enough. */
  readonly prepare?: (folder: string) => void | Promise<void>
  /** Runs as this user, whose the data folder then is; only root can do so. */
  readonly uid?: number
}

export type Server = Awaited<ReturnType<typeof startServer>>

/** `vitrine serve --json` in a data folder of its own, once it listens. */
export async function startServer({ rows = {}, settings = {}, folder, prepare, uid }: ServerOptions = {}) {
  const data = folder ?? temporaryFolder()
  mkdirSync(data, { recursive: true })
  if (!folder) await (prepare ?? (() => makePos(join(data, 'pos.db'), rows)))(data)
  if (uid !== undefined) giveTo(uid, data)
  // As a URL: it is split at spaces.
  const NODE_OPTIONS = `--import=${pathToFileURL(join(import.meta.dirname, 'keep-priority.ts')).href}`
  // With the threshold that it would set for itself, the service does not start itself again.
  const MALLOC_TRIM_THRESHOLD_ = '131072'
  const env: Settings = { NODE_OPTIONS, MALLOC_TRIM_THRESHOLD_, VITRINE_DATA_DIR: data, ...freePorts, ...settings }
  const { child, stdout, stderr, ended } = startProcess(process.execPath, [program, 'serve', '--json'], {
    cwd: data,
    // Another user cannot write where compiled files are kept.
    env: { ...cleanEnvironment(env), ...(uid === undefined ? {} : { NODE_COMPILE_CACHE: '' }) },
    uid,
  })
  const listening = await until('the service listens', () => {
    if (child.exitCode !== null || child.signalCode !== null) assert.fail(`the service ended: ${stderr()}`)
    return linesOf(stdout()).find((line) => line.startsWith('{"event":"listening"'))
  }).catch(async (error: unknown) => {
    child.kill('SIGKILL')
    await ended
    if (!folder) rmSync(data, { recursive: true, force: true })
    throw error
  })
  const { https, http, console } = JSON.parse(listening) as { https: number; http: number; console: number }
  const certificate = env['VITRINE_TLS_CERT'] ?? join(data, 'development-cert.pem')
  const ask = (path: string, asked: Asked = {}) =>
    askOver(asked.isPlain ? { port: http } : { port: https, ca: readFileSync(certificate) }, apiPath(path), asked)
  let addresses = 9

  return {
    child,
    data,
    https,
    http,
    console,
    certificate,
    settings: env,
    listening,
    stdout,
    stderr,
    ended,
    ask,
    askConsole: (path: string, asked: Asked = {}) =>
      askOver({ port: console, ca: readFileSync(certificate) }, path, asked),
    /** The lines of the log so far. */
    logged: () =>
      linesOf(stdout())
        .filter((line) => line !== listening)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    /** The line of the log about an answer; it may come over its pipe after the answer. */
    lineOf({ headers }: Answer): Promise<Record<string, unknown>> {
      const id = String(headers['x-request-id'])
      return until(`${id} is logged`, () =>
        stdout().includes(id) ? this.logged().find((line) => line['request_id'] === id) : undefined,
      )
    },
    /** A command against this service's settings, within this process or in one of its own. */
    run: (...words: string[]) => runCommand(words, env, data),
    runProcess: (...words: string[]) => runVitrine(words, env, data),
    /** A new key, as `vitrine keys create` makes it. */
    makeKey: (...words: string[]): Promise<NewKey> =>
      makeKey(['--name', 'Test', '--permissions', 'all', ...words], env, data),
    /** From an address of its own where none is given: the token rate is not what most tests are about. */
    signIn: (key: { client_id: string; client_secret: string }, asked: Asked = {}) =>
      ask('/auth/token', {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: key.client_id,
          client_secret: key.client_secret,
        }).toString(),
        localAddress: `127.0.1.${(addresses += 1)}`,
        ...asked,
      }),
    async tokenOf(key: { client_id: string; client_secret: string }): Promise<string> {
      const answer = await this.signIn(key)
      assert.equal(answer.status, 200, answer.text)
      return String(answer.body.access_token)
    },
    /** A token of a new key that may make many requests. */
    async token(...words: string[]): Promise<string> {
      return this.tokenOf(await this.makeKey('--rate', '1000000', ...words))
    },
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
      const end = await ended
      clearTimeout(timer)
      return end
    },
    /** For `after`: the service and its folder are gone. */
    async remove() {
      await this.stop()
      // Another service of the same folder may still be stopping, and writes there.
      rmSync(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

function giveTo(uid: number, folder: string) {
  for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))]) chownSync(path, uid, uid)
}

// What has come without its end yet is no line.
const linesOf = (text: string) => text.split('\n').slice(0, -1)

export interface Asked {
  readonly method?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string
  readonly localAddress?: string
  readonly isPlain?: boolean
  readonly agent?: RequestOptions['agent']
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
  readonly body: any
}

const apiPath = (path: string) => (/^\/(api|docs)\b/.test(path) ? path : `/api/v1${path}`)

/** Over TLS where `ca` is given. */
export function askOver(to: { port: number; ca?: Buffer }, path: string, asked: Asked): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const options: RequestOptions = {
    host: '127.0.0.1',
    ...to,
    path,
    method: asked.method ?? 'GET',
    headers: { ...(asked.token ? { Authorization: `Bearer ${asked.token}` } : {}), ...asked.headers },
    agent: asked.agent ?? false,
    ...(asked.localAddress === undefined ? {} : { localAddress: asked.localAddress }),
  }
  const request = to.ca ? requestTls(options) : requestPlain(options)
  request.on('error', reject)
  request.on('response', (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', reject)
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parseJson(text) })
    })
  })
  request.end(asked.body)
  return promise
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The headers that every response carries. */
export function assertCommonHeaders(headers: Answer['headers'], { isTls = true } = {}): void {
  assert.match(String(headers['x-request-id']), /^[\w-]{8,}$/)
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['strict-transport-security'] !== undefined, isTls)
  for (const name of ['limit', 'remaining', 'reset']) assert.match(String(headers[`x-ratelimit-${name}`]), /^\d+$/)
  assert.ok(Number(headers['x-ratelimit-reset']) >= 1)
  assert.match(String(headers['content-type']), /^application\/json/)
  for (const name of ['etag', 'server', 'x-powered-by', 'location']) assert.equal(headers[name], undefined)
}

/** Every file below a folder with its size and content, for "nothing was changed". */
export function snapshot(folder: string): Record<string, string> {
  const seen: Record<string, string> = {}
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    seen[relative(folder, path)] = entry.isFile() ? hash('sha256', readFileSync(path)) : 'folder'
  }
  return seen
}
