// A database that a test copies from, of every engine, with tables that the test makes.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyOnce, prepareCopy, type CopyOptions, type CopyResult } from '../../src/operate/copy/run.ts'
import { faultText } from '../../src/operate/import/files.ts'
import { manualClock } from '../../src/platform/clock.ts'
import { parsePostgresUrl } from '../../src/platform/postgres/url.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'
import type { DatabaseUrl, SourceUrl } from '../../src/settings/types.ts'
import { mariadbZone, type MariadbServer } from './mariadb-server.ts'
import { makeSchema } from './postgres.ts'

export interface CopySource {
  readonly engine: 'sqlite' | 'postgres' | 'mysql'
  readonly url: SourceUrl
  /** As settings have it. */
  readonly address: string
  script(text: string): Promise<void>
  remove(): Promise<void>
}

export async function makeSource(engine: CopySource['engine'], mariadb?: MariadbServer): Promise<CopySource> {
  if (engine === 'sqlite') return makeFileSource()
  return engine === 'postgres' ? makePostgresSource() : makeMysqlSource(mariadb as MariadbServer)
}

function makeFileSource(): CopySource {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-source-'))
  const path = join(folder, 'shop.db')
  const database = openSqlite(path, { lockTimeoutMs: 30_000 })
  database.exec('PRAGMA journal_mode = WAL')
  return {
    engine: 'sqlite',
    url: { kind: 'sqlite', path },
    address: `sqlite:${path}`,
    script: async (text) => database.exec(text),
    async remove() {
      database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function makePostgresSource(): Promise<CopySource> {
  const schema = await makeSchema('shop')
  const parsed = parsePostgresUrl(schema.url, 'public', '/')
  if ('fault' in parsed) throw new Error(parsed.fault)
  return {
    engine: 'postgres',
    url: parsed.value,
    address: schema.url,
    script: async (text) => void (await schema.query(text)),
    remove: () => schema.drop(),
  }
}

async function makeMysqlSource(server: MariadbServer): Promise<CopySource> {
  const name = `shop_${randomBytes(6).toString('hex')}`
  await server.ask(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`)
  return {
    engine: 'mysql',
    url: server.url(name),
    address: server.address(name),
    script: async (text) => void (await server.ask(`USE ${name}; ${text}`)),
    remove: async () => void (await server.ask(`DROP DATABASE ${name}`)),
  }
}

/** A company that copies a source by its views; the clock is the test's. */
export function makeCopier(source: CopySource, target: DatabaseUrl, given: Partial<CopyOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-copy-'))
  const views = join(folder, 'views.sql')
  const clock = manualClock(Date.parse('2026-05-06T12:00:00Z'))
  return {
    clock,
    viewsFile: views,
    write: (text: string) => writeFileSync(views, text),
    async copy(more: Partial<CopyOptions> = {}): Promise<CopyResult> {
      await prepareCopy(target, source.url)
      const result = await copyOnce(target, {
        from: source.url,
        views,
        timeZone: mariadbZone,
        timeoutMs: 60_000,
        wholeEveryMs: 3_600_000,
        mostKeptOut: 1000,
        clock,
        onProgress() {},
        remark() {},
        signal: new AbortController().signal,
        onCommit() {},
        ...given,
        ...more,
      })
      if ('faults' in result) throw new Error(result.faults.first.map(faultText).join('\n'))
      return result
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** By relation: how it was read, and the rows that were read, new, changed and deleted. */
export const countsOf = ({ relations }: Pick<CopyResult, 'relations'>) =>
  Object.fromEntries(relations.map((each) => [each.relation, [each.read, each.new, each.changed, each.deleted]]))
