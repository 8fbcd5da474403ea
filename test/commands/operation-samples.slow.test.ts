// The code samples of operations in the documentation page, run as they stand against a real service.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import { sampleOf, type SampleLanguage, type SampleRequest } from '../../src/web/docs/browser/samples.ts'
import { targetOf } from '../../src/web/docs/browser/target.ts'
import { certificateForMono, noMono, runCSharp } from '../support/csharp.ts'
import { filledRow } from '../support/fixture.ts'
import {
  cleanEnvironment,
  startProcess,
  startServer,
  temporaryFolder,
  type Ended,
  type Server,
} from '../support/process.ts'

const folder = temporaryFolder()
// What would end a text, or mean something else in it, in some language.
const nasty = `'"\`$(id)$HOME\${x}{a,b}[1-3]\\n\\%41 #&=+?;<b>é日🧨 */ ?> -- !!`
const rows = {
  customers: [
    filledRow('customers', 1, { name: "L'hôtel (Jacmel)" }),
    filledRow('customers', 2, { name: 'Clinique' }),
    filledRow('customers', 3, { name: nasty }),
  ],
}
let server: Server
let env: NodeJS.ProcessEnv
before(async () => {
  server = await startServer({ rows, settings: certificateForMono(folder) })
  const { client_id: key, client_secret: code } = await server.makeKey()
  env = cleanEnvironment({
    PATH: process.env['PATH'],
    ACCESS_KEY: key,
    SECURITY_CODE: code,
    CURL_CA_BUNDLE: server.certificate,
    NODE_EXTRA_CA_CERTS: server.certificate,
    SSL_CERT_FILE: server.certificate,
  })
})
after(async () => {
  await server.remove()
  rmSync(folder, { recursive: true, force: true })
})

type Run = (code: string, env: NodeJS.ProcessEnv) => Promise<Ended>

const inFile =
  (file: string, tool: string): Run =>
  (code, env) => {
    writeFileSync(join(folder, file), code)
    return startProcess(tool, [file], { cwd: folder, env }).ended
  }
const missing = (tool: string) => spawnSync(tool, ['--version']).status !== 0 && `there is no ${tool} on this machine`

const languages: Readonly<Record<SampleLanguage, { skip: string | false; run: Run }>> = {
  curl: { skip: missing('curl'), run: inFile('sample.sh', 'sh') },
  ts: { skip: false, run: inFile('sample.ts', process.execPath) },
  python: { skip: missing('python3'), run: inFile('sample.py', 'python3') },
  php: { skip: missing('php'), run: inFile('sample.php', 'php') },
  csharp: { skip: noMono, run: (code, env) => runCSharp(code, folder, env) },
}

for (const [language, { skip, run: runCode }] of Object.entries(languages) as [
  SampleLanguage,
  (typeof languages)['ts'],
][])
  suite(language, { skip }, () => {
    test('signs in, lists, reads, signs off, and asks for the status', async () => {
      const base = `https://localhost:${server.https}/api/v1`
      let TOKEN = ''
      const run = async (request: Omit<SampleRequest, 'url'>, target: string) => {
        const { status, stdout, stderr } = await runCode(sampleOf(language, { ...request, url: base + target }), {
          ...env,
          TOKEN,
        })
        assert.equal(status, 0, stderr + stdout)
        return stdout
      }
      const post = { method: 'POST', needsToken: false }
      const granted = await run({ ...post, form: { grant_type: 'client_credentials' } }, '/auth/token')
      TOKEN = (JSON.parse(granted) as { access_token: string }).access_token
      const get = { method: 'GET', needsToken: true, form: {} }
      const target = targetOf('/customers', [
        ['search', "l'hôtel ("],
        ['sort', '-name'],
        ['sort', 'id'],
      ])
      const { data } = JSON.parse(await run(get, target)) as { data: { id: number }[] }
      assert.deepEqual(
        data.map(({ id }) => id),
        [1],
      )
      const found = JSON.parse(await run(get, targetOf('/customers', [['search', nasty]]))) as {
        data: { name: string }[]
      }
      assert.deepEqual(
        found.data.map(({ name }) => name),
        [nasty],
      )
      const one = JSON.parse(await run(get, '/customers/2')) as { data: { name: string } }
      assert.equal(one.data.name, 'Clinique')
      assert.equal((await run({ ...post, form: { token: '$TOKEN' } }, '/auth/revoke')).trim(), '{}')
      const head = await run({ method: 'HEAD', needsToken: false, form: {} }, '/status')
      assert.match(head, /\b200\b/)
    })
  })
