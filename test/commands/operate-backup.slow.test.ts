// Backup and restore of the state, and the hook that hands on a certificate: the commands of docs/operate.md as they stand there
// (but for paths and users), on a service that runs.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { after, before, describe, test } from 'node:test'
import { makeSelfSigned } from '../../src/http/self-signed.ts'
import { run } from '../client/installed.ts'
import { dropDatabases, makeDatabase, type Database } from '../support/database.ts'
import { repository, startServer, temporaryFolder, until, type NewKey, type Server } from '../support/process.ts'

const folder = temporaryFolder('vitrine-operate-')
after(() => rmSync(folder, { recursive: true }))
const backups = join(folder, 'backups')
const rows = { stores: [{ id: 1, name: 'Main' }] }

/** The block of the page that holds this, with places and users replaced. */
function block(holding: string, places: Readonly<Record<string, string>>): string {
  const blocks = readFileSync(join(repository, 'docs', 'operate.md'), 'utf8').matchAll(/```sh\n([^]*?)```/g)
  const found = [...blocks].map(([, text = '']) => text).filter((text) => text.includes(holding))
  assert.equal(found.length, 1, `blocks with ${holding}`)
  let text = String(found[0])
  const users = { 'runuser -u vitrine -- ': '', ' -o vitrine -g vitrine': '', 'state-2026-11-15.db': 'state-*.db' }
  for (const [from, to] of Object.entries({ ...users, ...places, '/var/backups/vitrine': backups }))
    text = text.replaceAll(from, to)
  return text
}

// The page does not ask for a shell that stops at the first fault (-e), but its commands must pass in one.
const shell = (text: string) => run('bash', ['-euc', text], folder)

const status = async (server: Server, key: NewKey) => (await server.signIn(key)).status

const has = (program: string) => spawnSync(program, ['--version']).status === 0

describe('the state in a file', { skip: has('sqlite3') ? false : 'sqlite3 is not installed here' }, () => {
  let server: Server
  before(async () => {
    server = await startServer({ rows })
  })
  after(() => server.remove())

  test('backed up while it runs, restored in its place', async () => {
    const places = { '/var/lib/vitrine': server.data }
    const [kept, revoked] = [await server.makeKey(), await server.makeKey()]
    await shell(block('VACUUM INTO', places))
    assert.equal(statSync(backups).mode & 0o777, 0o700)
    const late = await server.makeKey()
    await server.run('keys', 'revoke', revoked.client_id)
    assert.deepEqual([await status(server, late), await status(server, revoked)], [200, 401])

    await server.stop()
    const restore = block('rm -f', places)
    assert.deepEqual(restore.match(/^systemctl .*/gm), ['systemctl stop vitrine', 'systemctl start vitrine'])
    await shell(restore.replaceAll(/^systemctl .*\n/gm, ''))
    assert.equal(statSync(join(server.data, 'state.db')).mode & 0o777, 0o600)
    server = await startServer({ folder: server.data })
    assert.deepEqual(
      [await status(server, kept), await status(server, revoked), await status(server, late)],
      [200, 200, 401],
    )
    assert.equal((await server.makeKey()).name, 'Test')
  })
})

/** Why the state in PostgreSQL cannot be dumped here: pg_dump reads no server that is newer than itself. */
async function dumpMissing(database: Database): Promise<string | false> {
  const { stdout, status: ended } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' })
  if (ended !== 0) return 'pg_dump is not installed here'
  const [server] = await database.query("SELECT current_setting('server_version_num')::int / 10000 AS major")
  const own = Number(/ (\d+)\./.exec(stdout)?.[1])
  return own >= server?.['major'] ? false : `pg_dump ${own} does not read PostgreSQL ${server?.['major']}`
}

test('the state in PostgreSQL: dumped while it runs, restored after a stop', async (context) => {
  context.after(dropDatabases)
  const database = await makeDatabase()
  const missing = await dumpMissing(database)
  if (missing) return context.skip(missing)
  mkdirSync(backups, { recursive: true })
  const url = new URL(database.url)
  url.search = ''
  const places = { '--dbname=pos': `--dbname=${url.href}` }
  const settings = { VITRINE_STATE_URL: database.at('vitrine') }
  let server = await startServer({ rows, settings })
  context.after(() => server.remove())
  const kept = await server.makeKey()
  await shell(block('pg_dump', places))
  const late = await server.makeKey()
  assert.equal(await status(server, late), 200)
  await server.run('keys', 'revoke', kept.client_id)
  await server.stop()
  await shell(block('pg_restore', places))
  server = await startServer({ folder: server.data, settings })
  assert.deepEqual([await status(server, kept), await status(server, late)], [200, 401])
})

test('the hook of certbot: a renewed certificate is served without a restart', async (context) => {
  const [lineage, place] = [join(folder, 'lineage'), join(folder, 'place')]
  for (const each of [lineage, place]) mkdirSync(each)
  const renew = () => {
    const { cert, key } = makeSelfSigned({ names: ['127.0.0.1'], days: 90, now: new Date() })
    writeFileSync(join(lineage, 'fullchain.pem'), cert)
    writeFileSync(join(lineage, 'privkey.pem'), key, { mode: 0o600 })
  }
  renew()
  for (const name of ['fullchain.pem', 'privkey.pem']) copyFileSync(join(lineage, name), join(place, name))
  const settings = {
    VITRINE_TLS_CERT: join(place, 'fullchain.pem'),
    VITRINE_TLS_KEY: join(place, 'privkey.pem'),
  }
  const server = await startServer({ rows, settings })
  context.after(() => server.remove())
  renew()
  const hook = readFileSync(join(repository, 'docs', 'operate', 'certbot-hook.sh'), 'utf8')
  const own = hook.replaceAll('-g vitrine ', '').replaceAll('/etc/vitrine', place)
  await run('sh', ['-c', own], folder, { RENEWED_LINEAGE: lineage })
  assert.equal(statSync(join(place, 'privkey.pem')).mode & 0o777, 0o640)
  const renewed = readFileSync(join(lineage, 'fullchain.pem'))
  await until('the new certificate is served', async () => (await certificateOf(server)).equals(der(renewed)))
  assert.equal((await server.ask('/status')).status, 200)
})

const der = (pem: Buffer) => Buffer.from(pem.toString().replaceAll(/-----.*-----|\s/g, ''), 'base64')

function certificateOf(server: Server): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: server.https, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().raw)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}
