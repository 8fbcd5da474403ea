// The runner of the tests itself: a file that never ends is ended with all that it has started, fails by its name, and the run goes on.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { listProcesses } from '../support/process-table.ts'
import { startProcess, temporaryFolder, until } from '../support/process.ts'

const support = (file: string) => JSON.stringify(new URL(`../support/${file}`, import.meta.url).href)

test('a file that never ends is ended at the deadline, with its processes; it fails, and the next one runs', async () => {
  const folder = temporaryFolder('vitrine-runner-')
  const [endless, fine, started] = ['endless.test.mjs', 'fine.test.mjs', 'pids'].map((name) => join(folder, name))
  // Its own child is in another process group, and holds its output open.
  writeFileSync(
    endless ?? '',
    `import { spawn } from 'node:child_process'
    import { renameSync, writeFileSync } from 'node:fs'
    import { test } from 'node:test'
    test('good so far', () => {})
    test('without end', async () => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      console.log('printed before')
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', detached: true })
      writeFileSync('${started}.new', process.pid + ' ' + child.pid)
      renameSync('${started}.new', '${started}')
      for (;;);
    })`,
  )
  writeFileSync(fine ?? '', `import { test } from 'node:test'\ntest('fine', () => {})`)
  const runner = join(folder, 'run.mjs')
  writeFileSync(
    runner,
    `import { existsSync } from 'node:fs'
    import { setTimeout as wait } from 'node:timers/promises'
    import { createReport } from ${support('reporter.ts')}
    import { runJobs } from ${support('run-jobs.ts')}
    const report = createReport()
    const print = (text) => process.stdout.write(text)
    const jobs = process.argv.slice(2).map((file) => ({ engine: 'sqlite', files: [file], label: '' }))
    const deadline = ({ files: [file] }) => {
      const late = new AbortController()
      const look = async () => {
        while (!existsSync(${JSON.stringify(started)})) await wait(10)
        late.abort()
      }
      if (file.includes('endless')) void look()
      return late.signal
    }
    await runJobs(jobs, { report, deadline, atOnce: 1, signal: new AbortController().signal, print })
    for (const text of report.close()) print(text)`,
  )
  try {
    const { stdout } = await startProcess(process.execPath, [runner, endless ?? '', fine ?? '']).ended
    const [, failure = ''] = stdout.split(`\n\n✖ ${endless}`)
    assert.match(
      failure,
      /did not end by itself within \d+ s\n\s+under way: without end\n\s+printed last:\n\s+printed before/,
    )
    assert.match(failure, /\n +again: node bin\/node\.mjs --test .*endless\.test\.mjs\n/)
    assert.ok(stdout.includes(`✔ ${fine}  1  `), stdout)
    assert.match(stdout, /\n2 passed, 1 failed, 0 skipped\n$/)
    const pids = new Set(
      readFileSync(started ?? '', 'utf8')
        .split(' ')
        .map(Number),
    )
    await until('its processes are gone', () =>
      listProcesses().every(({ pid, command }) => !pids.has(pid) || command === ''),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
