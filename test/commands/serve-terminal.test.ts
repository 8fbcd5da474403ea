// `serve` at a terminal (a pseudo-terminal that `script` makes): a welcome text, then one line of text for each request.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makePos } from '../support/pos.ts'
import { cleanEnvironment, freePorts, program, startProcess, temporaryFolder, until } from '../support/process.ts'

const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0
const skip = hasScript ? false : 'there is no script of util-linux on this machine'

for (const [how, words, expected] of [
  ['text', '', /^\d\d:\d\d:\d\d 403 GET \/api\/v1\/status \d+ ms 127\.0\.0\.1 https_required\r?$/m],
  ['JSON with --json', ' --json', /^\{"time":.*"event":"request".*"code":"https_required"\}\r?$/m],
] as const)
  test(`the log of a service at a terminal is ${how}`, { skip }, async () => {
    const folder = temporaryFolder()
    makePos(join(folder, 'pos.db'), {})
    const env = cleanEnvironment({ VITRINE_DATA_DIR: folder, ...freePorts })
    const command = `exec '${process.execPath}' '${program}' serve${words}`
    const run = startProcess('script', ['-qefc', command, '/dev/null'], { cwd: folder, env, group: true })
    try {
      const port = await until('the service listens', () =>
        /Plain {4}http:\/\/127\.0\.0\.1:(\d+)|"http":(\d+)/.exec(run.stdout())?.slice(1).find(Boolean),
      )
      await fetch(`http://127.0.0.1:${port}/api/v1/status`)
      await until('the request is logged', () => expected.test(run.stdout()), run.stdout)
      const events = run.stdout().match(/"event":"/g)?.length ?? 0
      assert.equal(events > 0, words !== '', run.stdout())
    } finally {
      process.kill(-(run.child.pid ?? 0), 'SIGKILL')
      await run.ended
      rmSync(folder, { recursive: true, force: true })
    }
  })
