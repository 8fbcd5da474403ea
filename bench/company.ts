// The demo company that is measured, kept in bench/data between runs. Its folder is named by engine, scale and schema, so
// a changed schema gets a new folder. A file in it marks a complete company.
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository, runVitrine, startProcess, cleanEnvironment, type Settings } from '../test/support/process.ts'
import { atEnd } from './ending.ts'
import { openQueries, type Queries } from './queries.ts'
import { ownProgram, stopLeftOverService } from './left-over.ts'
import { startKeptServer, stopKeptServer } from './postgres.ts'

export const engines = ['sqlite', 'postgres'] as const
export type EngineName = (typeof engines)[number]

export interface Key {
  readonly client_id: string
  readonly client_secret: string
}

export interface Finished {
  readonly documents: number
  readonly loadSeconds: number
  readonly keys: { readonly all: Key; readonly twoStores: Key }
}

export interface Company extends Finished {
  readonly engine: EngineName
  readonly scale: number
  readonly folder: string
  readonly settings: Settings
  readonly queries: Queries
  /** Marks the data as changed. A company that is still marked at the next run is made again. */
  markChanged(isChanged: boolean): void
}

const home = process.env['VITRINE_BENCH_DATA'] ?? join(repository, 'bench', 'data')
// The highest rate limit of a key.
const rate = '1000000'
export const twoStores = '1,2'

export async function openCompany(engine: EngineName, scale: number, say: (text: string) => void): Promise<Company> {
  const folder = await chooseFolder(engine, scale)
  const finishedFile = join(folder, 'finished.json')
  const changedFile = join(folder, 'changed')
  for (const each of [folder, secondFolder(folder)]) await stopLeftOverService(each)
  await stopKeptServer(join(folder, 'server'))
  if (!existsSync(finishedFile) || existsSync(changedFile)) rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const url = engine === 'postgres' ? await startKeptServer(join(folder, 'server')) : `sqlite:${join(folder, 'pos.db')}`
  const settings = {
    VITRINE_DATA_DIR: folder,
    VITRINE_DATABASE_URL: url,
    // As operators have it: several instances share a state on the server of the tills.
    VITRINE_STATE_URL: engine === 'postgres' ? url : `sqlite:${join(folder, 'state.db')}`,
    // Slow statements are measured, not cancelled.
    VITRINE_STATEMENT_TIMEOUT_MS: '120000',
    // /status is requested without a token.
    VITRINE_ANONYMOUS_RATE: '1000000',
    // One key makes all requests.
    VITRINE_KEY_BUDGET_MS: '3600000',
  }
  if (!existsSync(finishedFile)) {
    say(`makes the company of scale ${scale}`)
    writeFileSync(finishedFile, JSON.stringify(await make(settings, scale), null, 2))
  }
  const finished = JSON.parse(readFileSync(finishedFile, 'utf8')) as Finished
  const queries = await openQueries(url)
  atEnd(() => queries.close())
  return {
    ...finished,
    engine,
    scale,
    folder,
    settings,
    queries,
    markChanged: (isChanged) => (isChanged ? writeFileSync(changedFile, '') : rmSync(changedFile, { force: true })),
  }
}

/** Of another instance. */
export const secondFolder = (folder: string) => join(folder, 'second')

/** Deletes companies of the same scale with another schema: a million documents take a gigabyte. */
async function chooseFolder(engine: EngineName, scale: number): Promise<string> {
  const { stdout } = await succeed(runVitrine(['schema', 'print', '--dialect', engine]))
  const prefix = `${engine}-${scale}-`
  const place = engine === 'postgres' ? 'the state is beside the rows' : ''
  const name = `${prefix}${hash('sha256', stdout + place).slice(0, 8)}`
  mkdirSync(home, { recursive: true })
  for (const other of readdirSync(home)) {
    if (other.startsWith(prefix) && other !== name) rmSync(join(home, other), { recursive: true, force: true })
  }
  return join(home, name)
}

/** By a build's program. */
export async function make(settings: Settings, scale: number, program = ownProgram): Promise<Finished> {
  const run = async (...words: string[]) =>
    (await succeed(startProcess(process.execPath, [program, ...words], { env: cleanEnvironment(settings) }).ended))
      .stdout
  const { documents, seconds } = JSON.parse(await run('demo', '--json', '--scale', String(scale))) as {
    documents: number
    seconds: number
  }
  const makeKey = async (...more: string[]) => {
    const key = ['keys', 'create', '--json', '--name', 'Benchmark', '--permissions', 'all', '--rate', rate, ...more]
    const { client_id, client_secret } = JSON.parse(await run(...key)) as Key
    return { client_id, client_secret }
  }
  const keys = { all: await makeKey(), twoStores: await makeKey('--stores', twoStores) }
  return { documents, loadSeconds: seconds, keys }
}

async function succeed(ending: ReturnType<typeof runVitrine>) {
  const ended = await ending
  if (ended.status !== 0) throw new Error(ended.stderr)
  return ended
}
