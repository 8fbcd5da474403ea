// `vitrine import` as a command: what it prints, how it ends, what Ctrl-C does, and a service that goes on meanwhile.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { engines, makeTarget, type Target } from '../support/imported.ts'
import { runImport, writeFile } from '../support/import-files.ts'
import {
  cleanEnvironment,
  meanwhile,
  program,
  runVitrine,
  startProcess,
  startServer,
  until,
} from '../support/process.ts'

const root = mkdtempSync(join(tmpdir(), 'vitrine-import-'))
after(() => rmSync(root, { recursive: true, force: true }))

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(root, 'files-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const data = (name: string) => ({ VITRINE_DATA_DIR: join(root, name) })

test('import: a table for people on stdout, everything else on stderr', async () => {
  const folder = folderOf({ 'stores.csv': 'id,name\n1,One\n', 'README.txt': 'x' })
  const done = await runVitrine(['import', folder, '--delete-missing'], data('people'))
  assert.deepEqual([done.status, done.signal], [0, null])
  assert.match(
    done.stdout,
    /^RELATION {2}READ {2}NEW {2}CHANGED {2}UNCHANGED {2}DELETED\nstores +1 +1 +0 +0 +0\n\nImported into .*pos\.db in [\d.]+ s\.\n$/,
  )
  assert.match(done.stderr, /^Not read: README\.txt\.$/m)
  const emptied = await runVitrine(['import', folderOf({ 'stores.csv': 'id\n' }), '--delete-missing'], data('people'))
  assert.match(emptied.stderr, /^stores\.csv has no rows: all 1 rows of stores were deleted\.$/m)
})

test('import --json: one object, for what was done and for what is wrong', async () => {
  const done = await runVitrine(['import', folderOf({ 'stores.csv': 'id\n1\n' }), '--json'], data('json'))
  assert.deepEqual([done.status, done.stderr], [0, ''])
  const { seconds, database, ...result } = JSON.parse(done.stdout) as Record<string, unknown>
  assert.equal(typeof seconds, 'number')
  assert.match(String(database), /pos\.db$/)
  const counts = { read: 1, new: 1, changed: 0, unchanged: 0, deleted: 0 }
  assert.deepEqual(result, {
    dry_run: false,
    relations: [{ relation: 'stores', file: 'stores.csv', ...counts }],
    ignored: [],
    remarks: [],
  })

  const faulty = folderOf({ 'stores.csv': 'id\nx\ny\nz\n' })
  const wrong = await runVitrine(['import', faulty, '--json', '--faults', '1'], data('json'))
  assert.equal(wrong.status, 1)
  const message = 'Expected a whole number from 1; found "x".'
  assert.deepEqual(JSON.parse(wrong.stdout), {
    faults: [{ file: 'stores.csv', line: 2, column: 'id', message }],
    count: 3,
  })
  assert.equal(wrong.stderr, 'vitrine: 3 faults (2 more are not shown; --faults shows more): nothing was changed.\n')
})

test('import: what is wrong with its words is said at once, with status 2', async () => {
  const wrong = await runVitrine(['import', '--delete-mising', '--faults', '0'], data('misuse'))
  assert.equal(wrong.status, 2)
  assert.match(wrong.stderr, /--delete-mising is not an option of "import": did you mean --delete-missing\?/)
  assert.match(wrong.stderr, /"import" needs DIR\./)
  assert.match(wrong.stderr, /--faults "0" is not a whole number from 1 to /)
  const absent = await runVitrine(['import', join(root, 'absent')], data('misuse'))
  assert.deepEqual([absent.status, absent.stderr], [2, `vitrine: There is no folder ${join(root, 'absent')}.\n`])
})

test('import: a pipe is no file, and is not waited for', async () => {
  const folder = folderOf({ 'vendors.csv': 'id,name\n1,One\n' })
  assert.equal(spawnSync('mkfifo', [join(folder, 'stores.csv')]).status, 0)
  const { status, stderr } = await runVitrine(['import', folder], { VITRINE_DATA_DIR: join(root, 'piped') })
  assert.equal(status, 1)
  assert.match(stderr, /^stores\.csv.*this is a pipe/m)
})

// What a process has open. (On another system than Linux: as if it had all.)
function filesOf(pid: number | undefined): { includes(path: string): boolean } {
  const folder = `/proc/${pid}/fd`
  if (!existsSync('/proc/self/fd')) return { includes: () => true }
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))]
    } catch {
      // Closed meanwhile.
      return []
    }
  })
}

for (const engine of engines)
  describe(`import into ${engine}, as a command`, () => {
    let target: Target | undefined
    after(() => target?.remove())

    test('Ctrl-C takes everything back, and says so', async () => {
      target = await makeTarget(engine)
      const folder = folderOf({ 'stores.csv': 'id,name\n1,Kept\n' })
      await runImport(target.url, folder)
      // Long enough that the command is surely in the middle of it.
      const lines = Array.from({ length: 1_500_000 }, (_, at) => `${at + 1},Changed`)
      const long = folderOf({ 'stores.csv': ['id,name', ...lines].join('\n') })
      const env = cleanEnvironment({ VITRINE_DATABASE_URL: target.address, VITRINE_STATE_URL: 'sqlite:unused.db' })
      const started = startProcess(process.execPath, [program, 'import', long], { env })
      await until('it reads', () => filesOf(started.child.pid).includes(join(long, 'stores.csv')))
      started.child.kill('SIGINT')
      const ended = await started.ended
      assert.deepEqual([ended.status, ended.signal, ended.stdout], [1, null, ''])
      assert.match(ended.stderr, /^vitrine: Interrupted: nothing was changed\.$/m)
      assert.deepEqual(await target.rows('SELECT id, name FROM stores'), [[1, 'Kept']])
    })

    // Every record of a generation has its name; a list of both, or a total of the other, would be half an import.
    test('a service that goes on answers with all of an import or nothing of it', async () => {
      target ??= await makeTarget(engine)
      const { address, url } = target
      const generation = (name: string, count: number) => {
        const folder = join(root, `${engine}-${name}`)
        mkdirSync(folder)
        const rows = Array.from({ length: count }, (_, at) => ({ id: at + 1, name: `${name} ${at + 1}`, active: 1 }))
        writeFile(folder, 'vendors', rows)
        return folder
      }
      await runImport(url, generation('First', 2600))
      const server = await startServer({
        settings: { VITRINE_DATABASE_URL: address, VITRINE_STATE_URL: 'sqlite:state.db' },
        prepare: () => {},
      })
      try {
        const token = await server.token()
        const totals = { First: 2600, Second: 2700 }
        const look = async () => {
          const { status, body } = await server.ask('/vendors?per_page=100&page=20', { token })
          assert.equal(status, 200)
          const names = new Set<string>(body.data.map((record: { name: string }) => record.name.split(' ')[0]))
          const [name] = names
          assert.equal(names.size, 1)
          assert.equal(body.meta.total, totals[name as keyof typeof totals])
          return name
        }
        assert.equal(await look(), 'First')
        const late = server.runProcess('import', generation('Second', 2700), '--json')
        let looks = 0
        const done = await meanwhile(late, async () => {
          await look()
          looks += 1
        })
        assert.equal(done.status, 0, done.stderr)
        assert.ok(looks > 1)
        assert.equal(await look(), 'Second')
        const found = await server.ask('/vendors?search=second%202699', { token })
        assert.deepEqual(
          found.body.data.map(({ id }: { id: number }) => id),
          [2699],
        )
        assert.deepEqual(
          server.logged().filter(({ event }) => String(event).endsWith('_not_used')),
          [],
        )
      } finally {
        await server.remove()
      }
    })
  })
