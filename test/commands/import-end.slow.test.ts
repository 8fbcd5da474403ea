// The commit of an import: before it everything can be undone; after it the rows are in, and failures are only warnings.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readSqliteHeader } from '../../src/platform/sqlite.ts'
import type { ImportOptions, ImportResult } from '../../src/operate/import/run.ts'
import { runImport } from '../support/import-files.ts'
import { dumpRelations, engines, makeTarget, type Target } from '../support/imported.ts'
import { connectTo } from '../support/own-company.ts'
import { startProxy } from '../support/postgres-proxy.ts'
import { cleanEnvironment, patienceMs, program, runVitrine, startProcess, until } from '../support/process.ts'

const root = mkdtempSync(join(tmpdir(), 'vitrine-import-'))
after(() => rmSync(root, { recursive: true, force: true }))

function folderOf(relation: string, ids: number, name: string): string {
  const folder = mkdtempSync(join(root, 'files-'))
  const rows = Array.from({ length: ids }, (_, at) => `${at + 1},${name}\n`)
  writeFileSync(join(folder, `${relation}.csv`), `id,name\n${rows.join('')}`)
  return folder
}

const countOf = async (target: Target) => (await target.rows('SELECT count(*) FROM stores'))[0]?.[0]

for (const engine of engines)
  describe(`the end of an import into ${engine}`, () => {
    let target: Target
    before(async () => {
      target = await makeTarget(engine)
      await runImport(target.url, folderOf('vendors', 1, 'First'))
    })
    after(() => target.remove())

    test('Ctrl-C after the last row and before the end takes everything back', async () => {
      const all = await dumpRelations(target)
      const stop = new AbortController()
      let isCommitted = false
      const onProgress: ImportOptions['onProgress'] = ({ what, done, total }) => {
        // The last progress report before the commit.
        if (what === (engine === 'sqlite' ? 'indexes' : 'writing') && done === total) stop.abort()
      }
      const onCommit = () => {
        isCommitted = true
      }
      const options = { onProgress, onCommit, signal: stop.signal }
      const folder = mkdtempSync(join(root, 'files-'))
      const ids = Array.from({ length: 2600 }, (_, at) => `${at + 1}\n`)
      writeFileSync(join(folder, 'purchase_orders.csv'), `id\n${ids.join('')}`)
      await assert.rejects(runImport(target.url, folder, options))
      assert.deepEqual([stop.signal.aborted, isCommitted], [true, false])
      assert.deepEqual(await dumpRelations(target), all)
    })
  })

test('sqlite: indexes that cannot be made are a remark, and the rows are in', async () => {
  const target = await makeTarget('sqlite')
  try {
    const folder = folderOf('stores', 3, 'Store')
    await runImport(target.url, folderOf('stores', 1, 'Store'))
    // A relation is missing, and other tables have both names that an index can get.
    const index = 'quote_lines_by_quote_id'
    await target.script(
      `DROP INDEX ${index}; CREATE TABLE ${index} (a); CREATE TABLE vitrine_${index} (a); DROP TABLE vendors`,
    )
    const done = await runVitrine(['import', folder, '--json'], { VITRINE_DATABASE_URL: target.address })
    assert.equal(done.status, 0, done.stderr)
    const { remarks, relations } = JSON.parse(done.stdout) as ImportResult
    assert.deepEqual([relations[0]?.new, await countOf(target)], [2, 3])
    assert.equal(remarks.length, 1)
    const told =
      /^The rows are imported, but their indexes and the journal are not complete: .*already a table named .* Run "vitrine schema apply"\.$/
    assert.match(remarks[0] ?? '', told)
    assert.equal(done.stderr, `${remarks[0]}\n`)
  } finally {
    await target.remove()
  }
})

test('sqlite: a file without a log gets one once something changes, and the result tells it', async () => {
  const target = await makeTarget('sqlite')
  assert.ok(target.url.kind === 'sqlite')
  const { path } = target.url
  const remarksOf = async (folder: string) => ((await runImport(target.url, folder)) as ImportResult).remarks
  try {
    const folder = folderOf('stores', 1, 'Store')
    assert.deepEqual(await remarksOf(folder), [])
    await target.script('PRAGMA journal_mode = DELETE')
    assert.deepEqual(await remarksOf(folder), [])
    assert.equal(readSqliteHeader(path)?.isWal, false)
    const told = `${path} has write-ahead logging (WAL) from now on, for all programs that use it: readers and writers do not wait for each other.`
    assert.deepEqual(await remarksOf(folderOf('stores', 2, 'Store')), [told])
    assert.equal(readSqliteHeader(path)?.isWal, true)
    assert.deepEqual(await remarksOf(folderOf('stores', 3, 'Store')), [])
  } finally {
    await target.remove()
  }
})

describe('the end of an import into postgres, and its connection', () => {
  let target: Target
  let proxy: Awaited<ReturnType<typeof startProxy>>
  let url: Target['url']
  before(async () => {
    target = await makeTarget('postgres')
    assert.ok(target.url.kind === 'postgres')
    proxy = await startProxy(target.url)
    url = { ...target.url, host: '127.0.0.1', port: proxy.port }
  })
  after(async () => {
    await proxy.remove()
    await target.remove()
  })

  test('lost after the end: remarks, and the rows are in', async () => {
    const remarked: string[] = []
    const result = await runImport(url, folderOf('stores', 4, 'Store'), {
      onProgress: ({ what }) => what === 'clearing up' && proxy.close(),
      remark: (text) => remarked.push(text),
    })
    proxy.open()
    assert.ok('relations' in result)
    assert.deepEqual([result.relations[0]?.new, await countOf(target)], [4, 4])
    assert.deepEqual(result.remarks, remarked)
    assert.match(remarked[0] ?? '', /^The rows are imported, but could not be vacuumed and analysed \(.+\): PostgreSQL/)
    assert.match(remarked[1] ?? '', /^The rows are imported, but their indexes .*cannot be used: .* Run "vitrine/)
    assert.equal(remarked.length, 2)
  })

  test('lost at the very end: it says that it does not know, and to import again', async () => {
    const folder = folderOf('stores', 5, 'Store')
    await assert.rejects(
      runImport(url, folder, { onCommit: () => proxy.close() }),
      /was lost during the commit \(.+\): it is unknown whether the rows were imported\. Import again/,
    )
    proxy.open()
    await until('the server has let go of it', async () => {
      const [[left] = []] = await target.rows(
        `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      )
      return left === 0
    })
    await runImport(url, folder)
    assert.equal(await countOf(target), 5)
  })

  test('Ctrl-C while indexes are made, after the rows: the command ends at once, and the rows are in', async () => {
    await target.script('DROP TABLE stores, vendors')
    // A reader delays an index that is made concurrently.
    const reader = await connectTo(target.address)
    await reader.script('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM invoices')
    const env = cleanEnvironment({ VITRINE_DATABASE_URL: target.address, VITRINE_STATE_URL: 'sqlite:unused.db' })
    const started = startProcess(process.execPath, [program, 'import', folderOf('stores', 6, 'Store')], { env })
    const timer = setTimeout(() => started.child.kill('SIGKILL'), patienceMs)
    try {
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONC%' AND wait_event_type = 'Lock'`
      await until('an index is being made', async () => (await target.rows(waiting)).length > 0, started.stderr)
      started.child.kill('SIGINT')
      const ended = await started.ended
      assert.equal(ended.signal, 'SIGINT', ended.stderr)
      assert.equal(await countOf(target), 6)
    } finally {
      clearTimeout(timer)
      await reader.script('COMMIT')
      await reader.close()
      started.child.kill('SIGKILL')
    }
  })
})
