// The lock for making the development certificate: a lock of a killed process delays no other.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { developmentCertificate } from '../../../src/http/tls.ts'

for (const [what, secondsOff] of [
  ['of somebody who was killed', -60],
  ['from the future: the clock was set back', 60],
] as const)
  test(`a lock ${what} is broken, whatever it contains, and nothing is left of it`, (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-lock-'))
    context.after(() => rmSync(folder, { recursive: true }))
    const lock = join(folder, 'development-cert.lock')
    mkdirSync(lock)
    writeFileSync(join(lock, 'something'), '')
    const then = Date.now() / 1000 + secondsOff
    utimesSync(lock, then, then)
    assert.equal(developmentCertificate(folder, ['localhost'], Date.now()).isNew, true)
    assert.deepEqual(readdirSync(folder).toSorted(), ['development-cert.pem', 'development-key.pem'])
    assert.equal(developmentCertificate(folder, ['localhost'], Date.now()).isNew, false)
  })
