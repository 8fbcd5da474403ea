// The first call of README.md, pasted as it stands beside a service that runs.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { company } from '../support/fixture.ts'
import { cleanEnvironment, repository, startProcess, startServer } from '../support/process.ts'

test('the first call of README.md works by copy and paste', async () => {
  const server = await startServer({ rows: company })
  try {
    const readme = readFileSync(join(repository, 'README.md'), 'utf8')
    const block = /## A first call[^]*?```sh\n([^]*?)```/.exec(readme)?.[1] ?? ''
    // Where this service is, instead of where it is by default; what npx finds in a clone.
    const script = block
      .replace('127.0.0.1:8443', `127.0.0.1:${server.https}`)
      .replace('data/development-cert.pem', join(server.data, 'development-cert.pem'))
      .replace('npx vitrine', `node ${JSON.stringify(join(repository, 'bin', 'vitrine.mjs'))}`)
    const env = cleanEnvironment({ VITRINE_DATA_DIR: server.data })
    const { status, stdout, stderr } = await startProcess('bash', ['-euc', script], { cwd: repository, env }).ended
    assert.deepEqual([status, stderr], [0, ''])
    const [invoices, products, mistake] = stdout
      .split(/(?<=\})(?=\{)/)
      .map((text) => JSON.parse(text) as { data?: unknown[]; error?: { details: { parameter: string }[] } })
    assert.ok(invoices?.data && invoices.data.length > 0)
    assert.ok(products?.data)
    assert.deepEqual(
      mistake?.error?.details.map(({ parameter }) => parameter),
      ['sort', 'date_from'],
    )
  } finally {
    await server.remove()
  }
})
