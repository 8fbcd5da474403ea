// An import that is killed, loses its connection or fills the disk while it writes rows: everything is as it was, and the next works.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { runImport } from '../support/import-files.ts'
import { dumpRelations, engines, makeTarget, type Target } from '../support/imported.ts'
import { connectTo } from '../support/own-company.ts'
import { cleanEnvironment, program, runVitrine, startProcess, temporaryFolder, until } from '../support/process.ts'

const root = temporaryFolder('vitrine-import-')
after(() => rmSync(root, { recursive: true, force: true }))

/** Vendors with names of some length, and a relation that is written before them. */
function vendors(count: number, nameBytes: number): string {
  const folder = mkdtempSync(join(root, 'files-'))
  const name = 'n'.repeat(nameBytes)
  const rows = Array.from({ length: count }, (_, at) => `${at + 1},${name}\n`)
  writeFileSync(join(folder, 'vendors.csv.gz'), gzipSync(`id,name\n${rows.join('')}`, { level: 1 }))
  writeFileSync(join(folder, 'departments.csv'), 'id,name\n1,Changed\n')
  return folder
}

const count = 30
const kept = [[1, 'Kept']]
const keptFolder = () => {
  const folder = mkdtempSync(join(root, 'files-'))
  for (const name of ['vendors', 'departments']) writeFileSync(join(folder, `${name}.csv`), 'id,name\n1,Kept\n')
  return folder
}

async function assertGoesOn(target: Target): Promise<void> {
  const result = await runImport(target.url, vendors(count, 10))
  assert.ok('relations' in result)
  const { new: added, changed } = result.relations.find(({ relation }) => relation === 'vendors') ?? {}
  assert.deepEqual([added, changed], [count - 1, 1])
  assert.deepEqual(await target.rows('SELECT count(*) FROM vendors'), [[count]])
}

for (const engine of engines)
  describe(`an import into ${engine} that ends while it writes`, () => {
    let target: Target
    let all: unknown
    before(async () => {
      target = await makeTarget(engine)
      await runImport(target.url, keptFolder())
      all = await dumpRelations(target)
    })
    after(() => target.remove())

    test('killed: everything is as it was, and the next import works', async () => {
      const held = await (engine === 'sqlite' ? holdFile(target) : holdDatabase(target))
      const env = cleanEnvironment({ VITRINE_DATABASE_URL: target.address, VITRINE_STATE_URL: 'sqlite:unused.db' })
      // More than SQLite keeps in memory: some of it is in the file's log already.
      const words = [program, 'import', vendors(count, engine === 'sqlite' ? 3_500_000 : 10)]
      const { child, ended, stderr } = startProcess(process.execPath, words, { env })
      try {
        await until('it writes', held.isWriting, stderr)
        child.kill('SIGKILL')
        assert.equal((await ended).signal, 'SIGKILL')
        assert.deepEqual(await dumpRelations(target), all)
      } finally {
        child.kill('SIGKILL')
        await held.letGo()
      }
      assert.deepEqual(await dumpRelations(target), all)
      if (engine === 'sqlite') assert.deepEqual(await target.rows('PRAGMA integrity_check'), [['ok']])
      await assertGoesOn(target)
    })

    if (engine === 'postgres')
      test('its connection is ended: it says so, and everything is as it was', async () => {
        await runImport(target.url, keptFolder(), { deletesMissing: true })
        const held = await holdDatabase(target)
        const importing = runImport(target.url, vendors(count, 10))
        const failing = assert.rejects(importing, /cannot be used: terminating connection due to administrator command/)
        try {
          await until('it writes', held.isWriting)
          await target.script(`SELECT pg_terminate_backend(pid) FROM (${writers}) w`)
          await failing
        } finally {
          await held.letGo()
        }
        assert.deepEqual(await dumpRelations(target), all)
        await assertGoesOn(target)
      })
  })

interface Held {
  readonly isWriting: () => Promise<boolean> | boolean
  readonly letGo: () => Promise<void>
}

// The last row takes forever.
async function holdFile(target: Target): Promise<Held> {
  assert.ok(target.url.kind === 'sqlite')
  const log = `${target.url.path}-wal`
  await target.script(
    `CREATE TRIGGER holding BEFORE INSERT ON vendors WHEN NEW.id = ${count} BEGIN
       SELECT (SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 - i FROM n) SELECT i FROM n)); END`,
  )
  return {
    isWriting: () => existsSync(log) && statSync(log).size > 1 << 20,
    letGo: () => target.script('DROP TRIGGER holding'),
  }
}

const writers = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND query LIKE 'INSERT INTO "vendors"%' AND wait_event = 'advisory'`

// The last row waits for a lock that a till holds.
async function holdDatabase(target: Target): Promise<Held> {
  const till = await connectTo(target.address)
  await till.script(
    `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END';
     CREATE TRIGGER holding BEFORE INSERT ON vendors FOR EACH ROW WHEN (NEW.id = ${count}) EXECUTE FUNCTION hold();
     SELECT pg_advisory_lock(1)`,
  )
  return {
    isWriting: async () => (await target.rows(writers)).length > 0,
    async letGo() {
      // Its statement ends, but its client is gone.
      await till.script('SELECT pg_advisory_unlock(1)')
      const locks = `SELECT 1 FROM pg_locks JOIN pg_database d ON d.oid = database AND datname = current_database() WHERE locktype = 'advisory'`
      await until('the server has taken it back', async () => (await till.rows(locks)).length === 0)
      await till.script('DROP FUNCTION hold CASCADE')
      await till.close()
    },
  }
}

const noDisk = process.geteuid?.() === 0 && process.platform === 'linux' ? false : 'only root can mount a small disk'

async function onSmallDisk(context: TestContext, megabytes: number, use: (disk: string) => Promise<void>) {
  const disk = mkdtempSync(join(root, 'disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', disk], { encoding: 'utf8' })
  if (mounted.status !== 0) return context.skip(`no disk can be mounted here: ${mounted.stderr.trim()}`)
  try {
    await use(disk)
  } finally {
    spawnSync('umount', [disk])
  }
}

test(
  'sqlite on a full disk, as rows are written or committed: it says so, and everything is as it was',
  { skip: noDisk },
  (context) =>
    onSmallDisk(context, 7, async (disk) => {
      const path = join(disk, 'pos.db')
      const url = { kind: 'sqlite', path } as const
      const rows = () => {
        const database = openSqlite(path)
        const found = database.prepare('SELECT id, name FROM vendors').all().map(Object.values)
        database.close()
        return found
      }
      await runImport(url, keptFolder())
      // The first is more than is kept in memory, the second is written at the commit.
      for (const [bytes, isCommitted] of [
        [3_500_000, false],
        [300_000, true],
      ] as const) {
        let isTried = false
        const onCommit = () => {
          isTried = true
        }
        await assert.rejects(
          runImport(url, vendors(count, bytes), { onCommit }),
          /pos\.db.* is on a full disk .*Make room/,
        )
        assert.equal(isTried, isCommitted)
        assert.deepEqual(rows(), kept)
      }
      await runImport(url, vendors(count, 10))
      assert.equal(rows().length, count)
    }),
)

test(
  'sqlite whose temporary folder is full: that folder is named, and everything is as it was',
  { skip: noDisk },
  (context) =>
    onSmallDisk(context, 1, async (disk) => {
      const path = join(mkdtempSync(join(root, 'data-')), 'pos.db')
      const settings = { VITRINE_DATABASE_URL: `sqlite:${path}`, SQLITE_TMPDIR: disk }
      const done = await runVitrine(['import', vendors(count, 3_500_000)], settings)
      assert.equal(done.status, 1)
      assert.equal(
        done.stderr.split('\n').at(-2),
        `vitrine: SQLite's temporary folder ${disk} is full (database or disk is full). Make room there, or name another with SQLITE_TMPDIR.`,
      )
      assert.equal(existsSync(path), false)
    }),
)
