// The samples in the guides, as they stand there, run against a real service: each works when it is copied.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { certificateForMono, noMono, runCSharp } from '../support/csharp.ts'
import { filledRow } from '../support/fixture.ts'
import { cleanEnvironment, startProcess, startServer, temporaryFolder, type Server } from '../support/process.ts'
import { sampleFile, samples } from '../support/samples.ts'

const folder = temporaryFolder()
const rows = {
  invoices: [10, 40, 30, 20].map((total, at) =>
    filledRow('invoices', at + 1, { status: 3, kind: 1, total, number: `INV-${total}` }),
  ),
}
let server: Server
let env: NodeJS.ProcessEnv
before(async () => {
  server = await startServer({ rows })
  const key = await server.makeKey()
  env = cleanEnvironment({
    BASE: `https://127.0.0.1:${server.https}/api/v1`,
    ACCESS_KEY: key.client_id,
    SECURITY_CODE: key.client_secret,
    CURL_CA_BUNDLE: server.certificate,
    NODE_EXTRA_CA_CERTS: server.certificate,
    SSL_CERT_FILE: server.certificate,
    REQUESTS_CA_BUNDLE: server.certificate,
  })
  for (const { file, code } of samples) if (file) writeFileSync(join(folder, file), code)
})
after(async () => {
  await server.remove()
  rmSync(folder, { recursive: true, force: true })
})

const missing = (tool: string) => spawnSync(tool, ['--version']).status !== 0 && `there is no ${tool} on this machine`

async function run(program: string, ...words: string[]): Promise<string> {
  const { status, stdout, stderr } = await startProcess(program, words, { cwd: folder, env }).ended
  assert.equal(status, 0, stderr + stdout)
  return stdout
}

const listed = '4 invoices, the largest:\nINV-40 '

const named = (code: string) => [...code.matchAll(/^export (\w+)=/gm)].map((found) => found[1] ?? '')

test('the environment: what the samples ask for is what the guide sets', () => {
  const [settings = '', trust = ''] = samples.filter(({ guide }) => guide === 'first-call').map(({ code }) => code)
  assert.deepEqual(named(settings), ['BASE', 'ACCESS_KEY', 'SECURITY_CODE'])
  assert.deepEqual(named(trust), ['CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE'])
})

test('curl: the first call', { skip: missing('curl') }, async () => {
  const { code } =
    samples.find(({ guide, code }) => guide === 'first-call' && code.includes('TOKEN=$(')) ?? assert.fail()
  const { data, meta } = JSON.parse(await run('sh', '-c', code)) as { data: { total: number }[]; meta: object }
  assert.deepEqual(
    data.map(({ total }) => total),
    [40, 30, 20],
  )
  assert.deepEqual(meta, { page: 1, per_page: 3, total: 4, total_pages: 2 })
})

test('curl: three ways to sign in', { skip: missing('curl') }, async () => {
  const { code } =
    samples.find(({ guide, code }) => guide === 'authentication' && code.startsWith('curl ')) ?? assert.fail()
  const answers = (await run('sh', '-c', code.replaceAll('curl ', 'curl -s '))).matchAll(/"access_token":"svc_at_\w+"/g)
  assert.equal([...answers].length, 3)
})

test('curl: signing off', { skip: missing('curl') }, async () => {
  const { code } =
    samples.find(({ guide, code }) => guide === 'authentication' && code.includes('/auth/revoke')) ?? assert.fail()
  const token = await server.tokenOf({ client_id: env['ACCESS_KEY'] ?? '', client_secret: env['SECURITY_CODE'] ?? '' })
  assert.equal(await run('sh', '-c', `TOKEN=${token}; ${code.replace('curl ', 'curl -s ')}`), '{}')
  assert.equal((await server.ask('/ping', { token })).status, 401)
})

test('TypeScript: the client signs in again when its token is refused, once, and waits when told to', async () => {
  const key = await server.makeKey('--rate', '1')
  const own = { ...env, ACCESS_KEY: key.client_id, SECURITY_CODE: key.client_secret }
  const program = `import { get } from './client.ts'
    const native = globalThis.fetch
    const seen = []
    globalThis.fetch = async (url, init) => {
      const answer = await native(url, init)
      seen.push(answer.status)
      // Does not wait until the minute of the key is over.
      if (answer.status !== 429) return answer
      return new Response(answer.body, { status: 429, headers: { 'Retry-After': '0.01' } })
    }
    await get('/ping')
    const failure = await get('/ping').catch((error) => error.status)
    console.log(JSON.stringify([seen, failure]))`
  writeFileSync(join(folder, 'limited.ts'), program)
  const limited = await startProcess(process.execPath, ['limited.ts'], { cwd: folder, env: own }).ended
  assert.deepEqual(JSON.parse(limited.stdout), [[200, 200, 429, 429, 429, 429, 429], 429], limited.stderr)

  writeFileSync(
    join(folder, 'refused.ts'),
    `import { get } from './client.ts'
    const native = globalThis.fetch
    let tokens = 0
    globalThis.fetch = (url, init) => {
      if (String(url).endsWith('/auth/token')) tokens += 1
      else init = { headers: { Authorization: 'Bearer wrong' } }
      return native(url, init)
    }
    const failure = await get('/ping').catch((error) => error.status)
    console.log(JSON.stringify([tokens, failure]))`,
  )
  assert.deepEqual(JSON.parse(await run(process.execPath, 'refused.ts')), [2, 401])
})

// In one program, because an address may ask for ten tokens a minute.
test('TypeScript: synchronising and following, with the client of the other guide', async () => {
  assert.equal(sampleFile('synchronise.ts').guide, 'synchronising')
  assert.equal(sampleFile('follow.ts').guide, 'changes')
  writeFileSync(
    join(folder, 'both.ts'),
    `import { follow } from './follow.ts'
    import { synchronise } from './synchronise.ts'
    const copy = new Map()
    await synchronise('invoices', { status: 'all' }, copy, 2)
    await synchronise('invoices', { status: 'all' }, copy, 2)
    const followed = new Map([['invoices/99', {}]])
    const cursor = await follow(followed, undefined, 2)
    await follow(followed, cursor, 2)
    console.log(JSON.stringify([[...copy.keys()].sort(), [...followed.keys()]]))`,
  )
  const ids = [1, 2, 3, 4]
  assert.deepEqual(JSON.parse(await run(process.execPath, 'both.ts')), [ids, ids.map((id) => `invoices/${id}`)])
})

// Debian's python3 has no `requests`, and nothing else here needs it.
const noRequests =
  spawnSync('python3', ['-c', 'import requests']).status !== 0 && 'there is no requests for Python here'

test('Python: requests trusts the certificate that REQUESTS_CA_BUNDLE names', { skip: noRequests }, async () => {
  const program = 'import os, requests; print(requests.get(os.environ["BASE"] + "/status").json()["status"])'
  assert.equal(await run('python3', '-c', program), 'ok\n')
  const { REQUESTS_CA_BUNDLE: _, CURL_CA_BUNDLE: __, ...others } = env
  const refused = await startProcess('python3', ['-c', program], { cwd: folder, env: others }).ended
  assert.match(refused.stderr, /CERTIFICATE_VERIFY_FAILED/)
})

const inProcess = (tool: string, file: string) => (own: NodeJS.ProcessEnv) =>
  startProcess(tool, [file], { cwd: folder, env: own }).ended

suite('the first call, and what is said when it is refused', () => {
  // Its own service: an address may sign in only ten times a minute.
  let other: Server
  let own: NodeJS.ProcessEnv
  before(async () => {
    other = await startServer({ rows, settings: certificateForMono(folder) })
    const key = await other.makeKey()
    own = {
      ...env,
      BASE: `https://localhost:${other.https}/api/v1`,
      ACCESS_KEY: key.client_id,
      SECURITY_CODE: key.client_secret,
      NODE_EXTRA_CA_CERTS: other.certificate,
      SSL_CERT_FILE: other.certificate,
    }
  })
  after(() => other.remove())

  for (const [language, skip, runWith] of [
    ['TypeScript', false, inProcess(process.execPath, 'first-call.ts')],
    ['Python', missing('python3'), inProcess('python3', 'first_call.py')],
    ['PHP', missing('php'), inProcess('php', 'first-call.php')],
    ['C#', noMono, (given: NodeJS.ProcessEnv) => runCSharp(sampleFile('FirstCall.cs').code, folder, given)],
  ] as const)
    test(language, { skip }, async () => {
      const { status, stdout, stderr } = await runWith(own)
      assert.deepEqual([status, stdout.startsWith(listed)], [0, true], stdout + stderr)
      const refused = await runWith({ ...own, SECURITY_CODE: 'svc_sk_wrong' })
      // PHP ends with 255, and says it on stdout.
      assert.ok(refused.status)
      assert.match(refused.stderr + refused.stdout, /invalid_client/)
    })
})
