// The code samples of operations in the documentation page, run as they stand against a real service: curl, TypeScript, Python and PHP.
// C# is not run, because .NET is not at hand: test/unit/web/docs/samples.test.ts looks at its text.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import { sampleOf, type SampleLanguage, type SampleRequest } from '../../src/web/docs/browser/samples.ts'
import { targetOf } from '../../src/web/docs/browser/target.ts'
import { filledRow } from '../support/fixture.ts'
import { cleanEnvironment, startProcess, startServer, temporaryFolder, type Server } from '../support/process.ts'

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
  server = await startServer({ rows })
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

interface Program {
  readonly file: string
  readonly run: readonly string[]
}

const programs: Readonly<Partial<Record<SampleLanguage, Program>>> = {
  curl: { file: 'sample.sh', run: ['sh'] },
  ts: { file: 'sample.ts', run: [process.execPath] },
  python: { file: 'sample.py', run: ['python3'] },
  php: { file: 'sample.php', run: ['php'] },
}

async function output(language: SampleLanguage, program: Program, request: SampleRequest, token: string) {
  writeFileSync(join(folder, program.file), sampleOf(language, request))
  const [name = '', ...words] = program.run
  const started = startProcess(name, [...words, program.file], { cwd: folder, env: { ...env, TOKEN: token } })
  const { status, stdout, stderr } = await started.ended
  assert.equal(status, 0, stderr + stdout)
  return stdout
}

for (const [language, program] of Object.entries(programs) as [SampleLanguage, Program][]) {
  const tool = language === 'curl' ? 'curl' : (program.run[0] ?? '')
  const skip = spawnSync(tool, ['--version']).status !== 0 && `there is no ${tool} on this machine`
  suite(language, { skip }, () => {
    test('signs in, lists, reads, signs off, and asks for the status', async () => {
      const base = `https://127.0.0.1:${server.https}/api/v1`
      let TOKEN = ''
      const run = (request: Omit<SampleRequest, 'url'>, target: string) =>
        output(language, program, { ...request, url: base + target }, TOKEN)
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
}
