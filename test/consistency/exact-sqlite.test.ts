// SQLite: columns give the same results as plain SQL in the same snapshot, whatever the tills and the operator do meanwhile.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backup } from 'node:sqlite'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { findCollection } from '../../src/catalogue/collections.ts'
import { openSource } from '../../src/engine/open-source.ts'
import { scan } from '../../src/engine/scan.ts'
import type { PosSource } from '../../src/engine/source.ts'
import { planOf } from '../../src/query/plan-named.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { companyOf, randomPlan, startOracle, type Oracle } from '../support/exact.ts'
import { howMuch, seedOfRun, told } from '../support/how-much.ts'
import { makePos } from '../support/pos.ts'
import { randomFrom } from '../support/random.ts'
import { startTills } from '../support/random-tills.ts'

const random = randomFrom(seedOfRun)
const answers = howMuch(60, 5500)
const all = planOf('invoices', 'status=all&sort=-total&per_page=100')

/** The record becomes one of the first of these. */
const setTotal = (relation: string, id: number, total: number) =>
  `UPDATE ${relation} SET total = ${total}, kind = 1, status = 1 WHERE id = ${id}`

for (const mode of ['wal', 'delete'])
  suite(`SQLite, journal_mode = ${mode}`, () => {
    let folder: string
    let path: string
    let oracle: Oracle

    const data = () => ({ kind: 'sqlite', path, timeoutMs: 30_000 }) as const
    const write = (...statements: string[]) => {
      const database = openSqlite(path, { lockTimeoutMs: 30_000 })
      try {
        for (const statement of statements) database.exec(statement)
      } finally {
        database.close()
      }
    }
    // Without a log, a lock of the tills may last longer than a reader waits.
    const check = async (name: string) => {
      try {
        await oracle.check(randomPlan(random), `seed ${seedOfRun}, ${name}:`)
      } catch (error) {
        if (mode === 'wal' || !/locked|readonly database/.test(String(error))) throw error
      }
    }
    // So that the file itself has everything.
    const emptyLog = () => write('PRAGMA wal_checkpoint(TRUNCATE)')
    const backUp = () => {
      emptyLog()
      copyFileSync(path, join(folder, 'backup.db'))
    }
    const copyBack = () => {
      emptyLog()
      copyFileSync(join(folder, 'backup.db'), path)
    }
    // Into the same file, as the guide says. A copy over a file that readers have open would be damaged by what tills write next.
    const restore = async () => {
      const from = openSqlite(join(folder, 'backup.db'))
      try {
        await backup(from, path, { rate: 1_000_000 })
      } finally {
        from.close()
      }
    }
    const renameBack = () => {
      emptyLog()
      copyFileSync(join(folder, 'backup.db'), join(folder, 'copy.db'))
      for (const end of ['-wal', '-shm', '-journal']) rmSync(path + end, { force: true })
      renameSync(join(folder, 'copy.db'), path)
    }

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'vitrine-test-'))
      path = join(folder, 'pos.db')
      makePos(path, companyOf(random))
      write(`PRAGMA journal_mode = ${mode}`)
      oracle = await startOracle(data())
      await oracle.untilLoaded()
    })
    afterEach(async () => {
      await oracle.close()
      rmSync(folder, { recursive: true, force: true })
    })

    test('while tills write, the file is vacuumed, indexed and restored, every list is exact', async () => {
      const acts: Record<string, () => void | Promise<void>> = {
        nothing: () => {},
        VACUUM: () => write('VACUUM'),
        'a new index': () => write('CREATE INDEX own ON invoices (total)', 'DROP INDEX own'),
        'a backup is made': backUp,
        'a backup is restored into the file': restore,
        'a backup is made again': backUp,
        'a backup is renamed into place': renameBack,
        'many rows change at once': () => write('UPDATE invoices SET total = total + 1'),
      }
      let committed = 0
      for (const [name, act] of Object.entries(acts)) {
        await act()
        const tills = startTills(path, random.upTo(2 ** 31))
        try {
          for (let done = 0; done < answers; done += 1) await check(name)
          // It is found in columns again, though the tills go on.
          await oracle.untilLoaded()
          // On a busy machine the tills may be late.
          for (let done = 0; done < answers || (tills.committed() < 20 && done < 100 * answers); done += 1)
            await check(name)
        } finally {
          committed += await tills.stop()
        }
      }
      const { columns, overlay, plain } = oracle.counted
      told(
        `SQLite, ${mode}: ${columns} answers from columns (${overlay} with an overlay) were exact, ${plain} by plain SQL, ` +
          `${committed} transactions, seed ${seedOfRun}`,
      )
      assert(columns > plain && overlay > answers && committed > 100, 'columns were used while tills wrote')
    })

    test('so much is written that no reader catches up: lists come from columns again without a scan', async () => {
      const ids = 'WITH RECURSIVE n (id) AS (SELECT 10001 UNION ALL SELECT id + 1 FROM n WHERE id < 16000)'
      write(`${ids} INSERT INTO invoices (id, kind, status, total) SELECT id, 1, 1, id FROM n`)
      assert(!(await oracle.check(all)), 'answered by plain SQL')
      await oracle.untilLoaded(['invoices'])
      assert(await oracle.check(all))
      const loaded = oracle.logged.filter(
        ({ event, collection }) => event === 'lists_by_columns' && collection === 'invoices',
      )
      assert.deepEqual(
        loaded.map(({ from }) => from),
        ['database', 'changes'],
      )
    })

    test('after a restored backup the same number of writes does not make an old overlay valid', async () => {
      for (const restore of [copyBack, renameBack]) {
        backUp()
        write(setTotal('invoices', 5, 1_000_001))
        await oracle.check(all)
        restore()
        write(setTotal('invoices', 6, 1_000_002))
        await oracle.check(all)
        await oracle.untilLoaded()
        assert(await oracle.check(all))
      }
    })

    test('a backup put back while columns are scanned: what it lacks is in no column', async () => {
      const plain = await openSource(data(), () => {})
      backUp()
      let snapshots = 0
      // After the first piece was read with what the backup lacks.
      const source: PosSource = {
        ...plain,
        async within(work) {
          snapshots += 1
          if (snapshots === 2) write(setTotal('invoices_archive', 500, 1_000_001))
          if (snapshots === 3) copyBack()
          return plain.within(work)
        },
      }
      await assert.rejects(scan(source, findCollection('invoices'), { mostBytes: 1e8 }), /another database/)
      assert(snapshots >= 3)
      await plain.close()
    })

    test('what is written between two pieces of a scan is in its columns', async () => {
      const plain = await openSource(data(), () => {})
      let snapshots = 0
      const source: PosSource = {
        ...plain,
        async within(work) {
          snapshots += 1
          const id = 200 + snapshots
          write(
            `BEGIN; INSERT OR REPLACE INTO invoices_archive SELECT * FROM invoices WHERE id = ${id};
            DELETE FROM invoices WHERE id = ${id}; UPDATE invoices SET id = id + 10000 WHERE id = ${id - 150}; COMMIT`,
          )
          return plain.within(work)
        },
      }
      const scanned = await scan(source, findCollection('invoices'), { mostBytes: 1e8, pieceRows: 50 })
      assert('base' in scanned)
      oracle.finder.use({ id: 1000, ...scanned })
      assert(await oracle.check(all))
      assert(snapshots > 10)
      await plain.close()
    })

    test('a base of a later moment than a snapshot is not used in it', async () => {
      const later = await openSource(data(), () => {})
      await oracle.source.within(async (snapshot) => {
        // In a file without a log a till would have to wait for the end of this snapshot.
        if (mode === 'wal') write(setTotal('invoices', 5, 1_000_001))
        const mark = await later.within((its) => its.mark(['invoices']))
        assert('mark' in mark)
        const changes = await snapshot.changesSince(mark.mark, ['invoices'])
        assert.equal(changes === undefined, mode === 'wal')
      })
      await later.close()
    })
  })
