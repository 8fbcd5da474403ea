// The certificate for development: of several services that start at once in a new folder, one makes it, and all use it.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makePos } from '../support/pos.ts'
import { startServer, temporaryFolder } from '../support/process.ts'

test('four that start at once use the same one; a lock that somebody left behind is no hindrance', async (context) => {
  const folder = temporaryFolder()
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  makePos(join(folder, 'pos.db'), {})
  mkdirSync(join(folder, 'development-cert.lock'))
  const servers = await Promise.all(Array.from({ length: 4 }, () => startServer({ folder })))
  context.after(() => Promise.all(servers.map((server) => server.stop())))
  const pem = readFileSync(join(folder, 'development-cert.pem'), 'utf8')
  assert.match(pem, /^-----BEGIN CERTIFICATE-----\n[\s\S]+-----END CERTIFICATE-----\n$/)
  for (const server of servers) assert.equal((await server.ask('/status')).status, 200)
  assert(!existsSync(join(folder, 'development-cert.lock')))
})
