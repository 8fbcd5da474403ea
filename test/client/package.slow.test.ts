// The package `vitrine-client`: built, packed, installed and used as an integrator would, from JavaScript on this Node.js and on
// the machine's own, from TypeScript, and in a browser.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, request as requestTls } from 'node:https'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { noBrowser, startBrowser, waitUntil } from '../support/browser.ts'
import { filledRow } from '../support/fixture.ts'
import {
  cleanEnvironment,
  repository,
  startProcess,
  startServer,
  type NewKey,
  type Server,
} from '../support/process.ts'
import { installClient, type Installed } from './installed.ts'

const invoices = Array.from({ length: 130 }, (_, at) =>
  filledRow('invoices', at + 1, { kind: 1, status: 3, updated_at: '2026-03-01T08:00:00' }),
)
let client: Installed
let server: Server
let key: NewKey
before(async () => {
  ;[client, server] = await Promise.all([installClient(), startServer({ rows: { invoices } })])
  key = await server.makeKey('--rate', '100000')
})
after(async () => {
  client.remove()
  await server.remove()
})

// The same program everywhere: it gets `options` and gives what it found.
const program = `
  const client = createClient(options)
  const first = await client.list('invoices', { sort: 'id', per_page: 2 })
  const record = await client.get('invoices', 7)
  let records = 0
  for await (const { id } of client.records('invoices')) records += id
  let [changed, again, cursor] = [0, 0, null]
  for await (const part of client.follow({ resource: 'invoices', limit: 50 })) {
    cursor = part.cursor
    for (const { id } of part.changes) changed += id
  }
  for await (const part of client.follow({ resource: 'invoices', cursor })) again += part.changes.length
  const error = await client.get('invoices', 999).catch((error) => error)
  const aborted = await client.ping({ signal: AbortSignal.abort(new Error('enough')) }).catch(({ message }) => message)
  const result = {
    ids: first.data.map(({ id }) => id), lines: record.lines, records, changed, again,
    error: error instanceof VitrineError && error.code, aborted,
  }`
const sum = (130 * 131) / 2
const expected = {
  ids: [1, 2],
  lines: [],
  records: sum,
  changed: sum,
  again: 0,
  error: 'not_found',
  aborted: 'enough',
}

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
const optionsOf = (url: string) => JSON.stringify({ url, clientId: key.client_id, clientSecret: key.client_secret })

test('it holds what is built, its types and how to use it, and nothing else', () => {
  const names = client.files.map((path) =>
    path.replace(/^dist\/(?:client|client\/pull|src\/terminal)\/[\w-]+(\.d\.ts|\.js)$/, 'dist/*$1'),
  )
  assert.deepEqual([...new Set(names)].toSorted(), ['README.md', 'dist/*.d.ts', 'dist/*.js', 'package.json'])
  const own = read(join(client.installed, 'package.json'))
  assert.equal(own['version'], read(join(repository, 'package.json'))['version'])
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies', 'scripts'])
    assert.equal(own[kind], undefined)
})

for (const [whose, node] of [
  ['this Node.js', process.execPath],
  ["the machine's own Node.js", 'node'],
] as const)
  test(`plain JavaScript on ${whose}`, async () => {
    client.write(
      'use.js',
      `import { createClient, VitrineError } from 'vitrine-client'
       const options = ${optionsOf(`https://127.0.0.1:${server.https}`)}
       ${program}
       console.log(JSON.stringify(result))`,
    )
    const printed = await client.run(node, ['use.js'], { NODE_EXTRA_CA_CERTS: server.certificate })
    assert.deepEqual(JSON.parse(printed), expected)
  })

test('its command mirrors without the server being there; an older Node.js is told so', async () => {
  const command = join(client.app, 'node_modules', '.bin', 'vitrine-pull')
  const env = cleanEnvironment({
    VITRINE_URL: `https://localhost:${server.https}`,
    VITRINE_CLIENT_ID: key.client_id,
    VITRINE_CLIENT_SECRET: key.client_secret,
  })
  const words = [command, 'invoices', '--to', 'mirror.db', '--ca', server.certificate, '--json']
  const { status, stdout, stderr } = await startProcess(process.execPath, words, { cwd: client.app, env }).ended
  assert.deepEqual([status, stdout], [0, '{"resource":"invoices","changed":130,"gone":0,"total":130}\n'], stderr)
  const { stderr: said } = await startProcess(
    process.execPath,
    [command, '--to', 'postgres://localhost/shop', '--ca', server.certificate],
    { cwd: client.app, env },
  ).ended
  assert.equal(
    said,
    'vitrine: A mirror in PostgreSQL needs the package pg: run "npm install pg" beside vitrine-client.\n',
  )
  const [major = 0, minor = 0] = (await client.run('node', ['-p', 'process.versions.node'])).split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 19)) return
  const old = await startProcess('node', words, { cwd: client.app, env }).ended
  assert.deepEqual([old.status, /needs Node\.js 22\.19 or newer/.test(old.stderr)], [2, true])
})

test('TypeScript: what it offers is typed, with nothing of Node.js', async () => {
  client.write(
    'use.ts',
    `import { createClient, VitrineError, type Client, type Change, type FeedPart } from 'vitrine-client'
     const client: Client = createClient({ url: 'https://shop.example', clientId: 'k', clientSecret: 's' })
     export async function use(cursor: string | null): Promise<Change<'invoices'>[]> {
       const { data, meta } = await client.list('invoices', { status: 'regular', sort: ['-total', 'id'] })
       const total: number | null | undefined = data[0]?.total
       const changes: Change<'invoices'>[] = []
       const add = (part: FeedPart<'invoices'>) => changes.push(...part.changes)
       for await (const part of client.follow({ resource: 'invoices', cursor })) add(part)
       try { await client.ping() } catch (error) { if (error instanceof VitrineError) error.details.map(({ parameter }) => parameter) }
       // @ts-expect-error -- no such status
       await client.list('invoices', { status: 'active' })
       // @ts-expect-error -- the total of a page is a number
       const text: string = meta.total
       return total === undefined && text ? [] : changes
     }`,
  )
  for (const resolution of ['nodenext', 'bundler']) {
    const module = resolution === 'bundler' ? 'esnext' : 'nodenext'
    client.write(
      'tsconfig.json',
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          target: 'es2022',
          lib: ['es2022', 'dom'],
          types: [],
          module,
          moduleResolution: resolution,
        },
        files: ['use.ts'],
      }),
    )
    const { status, stdout } = await client.compile('-p', '.')
    assert.deepEqual([status, stdout], [0, ''], resolution)
  }
})

test('a browser, from a page of the same origin', { skip: noBrowser }, async () => {
  const certificate = readFileSync(server.certificate)
  // The page, the client and the service under one origin: the service itself sends no CORS headers.
  const proxy = createServer(
    { cert: certificate, key: readFileSync(join(server.data, 'development-key.pem')) },
    (asked, answered) => {
      const { url = '', method = 'GET', headers } = asked
      if (url.startsWith('/api/')) {
        const { host: _, ...kept } = headers
        const passed = requestTls({
          port: server.https,
          host: '127.0.0.1',
          path: url,
          method,
          headers: kept,
          ca: certificate,
        })
        passed.on('response', (answer) => {
          answered.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(answered)
        })
        passed.on('error', () => answered.destroy())
        asked.pipe(passed)
      } else if (url.startsWith('/client/')) {
        answered.setHeader('Content-Type', 'text/javascript')
        answered.end(readFileSync(join(client.installed, 'dist', url)))
      } else {
        answered.setHeader('Content-Type', 'text/html')
        answered.end(`<script type="module">
          import { createClient, VitrineError } from '/client/index.js'
          addEventListener('unhandledrejection', ({ reason }) => (window.told = String(reason)))
          const options = { ...${optionsOf('')}, url: location.origin }
          ${program}
          window.told = result
        </script>`)
      }
    },
  ).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  const browser = await startBrowser()
  try {
    const page = await browser.open()
    await page.goto(`https://127.0.0.1:${port}/`)
    await waitUntil(page, 'window.told')
    assert.deepEqual(await page.evaluate('window.told'), expected)
  } finally {
    await browser.close()
    proxy.closeAllConnections()
    proxy.close()
  }
})
