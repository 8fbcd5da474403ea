// The look at the certificate's files, every second.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { openSync, closeSync, constants, rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import { mock, test } from 'node:test'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { watchCertificate } from '../../../src/http/tls.ts'
import { temporaryFolder } from '../../support/process.ts'

const skip = process.platform === 'win32' ? 'needs mkfifo' : false

test('files that do not answer keep nothing else from the threads of Node.js', { skip }, async () => {
  const folder = temporaryFolder()
  // Opening it waits for a writer, as a network drive that is gone does.
  const [cert, key] = [join(folder, 'cert'), join(folder, 'key')]
  execFileSync('mkfifo', [cert, key])
  mock.timers.enable({ apis: ['setInterval'] })
  const problem = Promise.withResolvers<string>()
  const stop = watchCertificate({ cert, key }, { cert: '', key: '' }, () => {}, problem.resolve)
  try {
    mock.timers.tick(60_000)
    const compressed = await Promise.race([
      promisify(gzip)('a'),
      wait(5000, 'the threads wait for the files', { ref: false }),
    ])
    assert(Buffer.isBuffer(compressed), String(compressed))
  } finally {
    stop()
    mock.timers.reset()
    // One after the other, because each look of the watch opens both.
    while (!(await Promise.race([problem.promise, wait(10, false)])))
      for (const path of [cert, key]) closeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK))
    rmSync(folder, { recursive: true })
  }
})
