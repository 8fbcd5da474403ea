// A real service whose callers put codes and tokens in every right and wrong place: none of them can be found afterwards, in
// what it has stored, in its log, in an error or in what the system knows of its process. What is stored are hashes of
// random texts.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { makeSecurityCode, makeToken } from '../../src/auth/secrets.ts'
import { basicOf } from '../support/grants.ts'
import { howMuch, told } from '../support/how-much.ts'
import { engineUnderTest } from '../support/place.ts'
import { makeSchema, type Schema } from '../support/postgres.ts'
import { startServer, type Answer, type NewKey, type Server } from '../support/process.ts'
import { exchange } from '../support/raw.ts'
import { tracesOf } from '../support/traces.ts'

let server: Server
let schema: Schema | undefined
// Everything secret that was ever made or sent, and those of them that are of use at the end.
const secrets = new Set<string>()
const live: string[] = []
const answers: Answer[] = []
// What could be found while the service ran and after it had ended, each by its name.
const found: Record<string, string> = {}
let stateNames: string[] = []

before(async () => {
  schema = engineUnderTest === 'postgres' ? await makeSchema('state') : undefined
  const state = schema ? { VITRINE_STATE_URL: schema.url } : {}
  server = await startServer({ settings: { VITRINE_LOG_LEVEL: 'debug', VITRINE_ANONYMOUS_RATE: '1000000', ...state } })
  await misuse()
  const { text, names } = await readState()
  stateNames = names
  found['the state'] = text
  for (const name of ['cmdline', 'environ']) found[name] = readFileSync(`/proc/${server.child.pid}/${name}`, 'latin1')
  const { stdout, stderr } = await server.stop()
  Object.assign(found, { 'the log': stdout, stderr, 'the state at the end': (await readState()).text })
})
after(async () => {
  await server.remove()
  await schema?.drop()
})

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
let addresses = 0
const newAddress = () => `127.0.${2 + (addresses >> 7)}.${((addresses += 1) & 127) + 1}`

async function ask(path: string, asked: Parameters<Server['ask']>[1] = {}): Promise<Answer> {
  const answer = await server.ask(path, { localAddress: newAddress(), ...asked })
  answers.push(answer)
  return answer
}

function post(parameters: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...parameters }).toString()
  return ask('/auth/token', { method: 'POST', headers: { ...form, ...headers }, body })
}

function remember<Secret extends string>(secret: Secret, isLive = false): Secret {
  secrets.add(secret)
  if (isLive) live.push(secret)
  return secret
}

async function tokenOf({ client_id, client_secret }: NewKey, isLive: boolean): Promise<string> {
  const { status, body } = await post({ client_id, client_secret })
  assert.equal(status, 200)
  return remember(String(body.access_token), isLive)
}

async function misuse(): Promise<void> {
  const rate = ['--rate', '1000000']
  const [kept, renewed, revoked] = [
    await server.makeKey(...rate),
    await server.makeKey(...rate),
    await server.makeKey(...rate),
  ]
  remember(kept.client_secret, true)
  for (const key of [renewed, revoked]) remember(key.client_secret)
  const tokens = [await tokenOf(kept, true), await tokenOf(renewed, false), await tokenOf(revoked, false)]
  for (let turn = 0; turn < howMuch(5, 50); turn += 1) await tokenOf(kept, true)
  for (const secret of [kept.client_secret, tokens[0] ?? '', remember(makeSecurityCode()), remember(makeToken())])
    await misplace(kept, secret)
  // Then two codes are valid.
  for (const act of ['regenerate', 'rotate']) {
    const again = await server.run('keys', act, renewed.client_id, '--json')
    assert.equal(again.status, 0, again.stderr)
    remember((JSON.parse(again.stdout) as NewKey).client_secret, true)
  }
  assert.equal((await server.run('keys', 'revoke', revoked.client_id)).status, 0)
  // What is over now is sent once more.
  for (const token of tokens) await ask('/ping', { token })
  for (const { client_id, client_secret } of [renewed, revoked])
    assert.equal((await post({ client_id, client_secret })).status, 401)
}

// A secret in every place where a caller may put it.
async function misplace({ client_id }: NewKey, secret: string): Promise<void> {
  const escaped = secret.replaceAll('_', '%5F')
  const everyLetter = [...secret].map((letter) => `%${Buffer.from(letter).toString('hex')}`).join('')
  const twice = everyLetter.replaceAll('%', '%25')
  for (const text of [secret, escaped, everyLetter, twice])
    for (const path of [
      `/${text}`,
      `/products/${text}`,
      `/auth/token/${text}`,
      `/invoices;t=${text}/1`,
      `/api/v2/${text}`,
    ])
      await ask(path, { token: live[1] ?? '' })
  for (const query of [
    `access_token=${secret}`,
    `status=${secret}`,
    `${secret}=1`,
    `search=${secret}`,
    `sort=${secret}`,
  ])
    await ask(`/products?${query}`, { token: live[1] ?? '' })
  await ask(`/auth/token?client_id=${client_id}&client_secret=${secret}`, { method: 'POST', headers: form })
  await ask(`/status?token=${secret}`)
  for (const name of ['X-Request-Id', 'User-Agent', 'Referer', 'Cookie', 'X-Forwarded-For', 'X-Api-Key', 'Origin'])
    await ask('/products', { headers: { [name]: secret } })
  const basic = basicOf({ accessKey: client_id, securityCode: secret })
  for (const Authorization of [
    `Bearer ${secret}`,
    `bearer  ${secret}`,
    `Bearer ${secret}x`,
    secret,
    basic,
    `Basic ${secret}`,
  ])
    for (const path of ['/ping', '/status', '/products']) await ask(path, { headers: { Authorization } })
  await ask('/products', { method: 'POST', body: secret, token: secret })
  await ask('/products', { isPlain: true, token: secret })
  for (const parameters of [
    { client_id: secret, client_secret: client_id },
    { client_id, client_secret: `${secret} ` },
    { client_id, client_secret: secret, scope: secret },
    { client_id, client_secret: secret, grant_type: secret },
    { client_id, client_secret: secret, [secret]: secret },
  ])
    await post(parameters)
  await post({}, { Authorization: basic })
  const json = { 'Content-Type': 'application/json' }
  for (const body of [`{"client_secret":"${secret}"`, `{"client_secret":["${secret}"]}`, `"${secret}"`])
    await ask('/auth/token', { method: 'POST', headers: json, body })
  await ask('/auth/token', { method: 'POST', headers: { 'Content-Type': secret }, body: secret })
  // HTTP/2 takes any text as a method.
  await sendMethods([secret, secret.toLowerCase(), everyLetter, twice])
  // What the parser itself refuses.
  for (const head of [`GET /${secret} HTTP/9.9`, `${secret} / HTTP/1.1`, `GET / HTTP/1.1\r\n${secret}`])
    answers.push(...(await exchange({ port: server.https, isTls: true }, `${head}\r\n\r\n`)))
}

async function sendMethods(methods: readonly string[]): Promise<void> {
  const session = connectHttp2(`https://127.0.0.1:${server.https}`, { ca: readFileSync(server.certificate) })
  for (const method of methods) {
    const stream = session.request({ ':method': method, ':path': '/api/v1/products' }, { endStream: true })
    const [headers] = (await once(stream, 'response')) as [Answer['headers']]
    const body = await text(stream)
    answers.push({ status: Number(headers[':status']), headers, text: body, body: JSON.parse(body) })
  }
  session.close()
}

// Every file of the state and all others beside it, or every row of its tables.
async function readState(): Promise<{ text: string; names: string[] }> {
  if (!schema) {
    const found = readdirSync(server.data, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
    const names = found.map(({ parentPath, name }) => relative(server.data, join(parentPath, name)))
    return { text: names.map((name) => readFileSync(join(server.data, name), 'latin1')).join('\n'), names }
  }
  const tables = await schema.query(`SELECT tablename FROM pg_tables WHERE schemaname = '${schema.name}'`)
  const names = tables.map(({ tablename }) => String(tablename))
  const texts: string[] = []
  for (const name of names)
    for (const row of await schema.query(`SELECT * FROM ${name}`))
      for (const cell of Object.values(row))
        texts.push(Buffer.isBuffer(cell) ? `${cell.toString('latin1')}\n${cell.toString('hex')}` : String(cell))
  return { text: texts.join('\n'), names }
}

const unescape = (bytes: string) =>
  bytes.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

// As it stands, and with its escapes undone once and twice.
function assertNone(where: string, bytes: string): void {
  for (const read of [bytes, unescape(bytes), unescape(unescape(bytes))])
    for (const secret of secrets) assert.deepEqual(tracesOf(secret, read), [], `${where} holds ${secret}`)
}

test('secrets: the search finds one in every form that it looks for', () => {
  const secret = makeToken()
  const random = secret.slice(7)
  const backwards = [...random].toReversed().join('')
  const shown = {
    plain: `…${random.slice(20, 34)}…`,
    backwards,
    base64: Buffer.from(`svc_ak_x:${secret} and more`).toString('base64'),
    hex: Buffer.from(`"${secret}"`).toString('hex'),
  }
  for (const [name, text] of Object.entries(shown)) assert.deepEqual(tracesOf(secret, `before ${text} after`), [name])
  assert.deepEqual(tracesOf(secret, Object.values({ ...shown, plain: '' }).join('')).length, 3)
  assert.deepEqual(tracesOf(secret, makeToken()), [])
})

test('secrets: of those that are of use the state has the SHA-256', () => {
  assert.ok(
    stateNames.some((name) => (schema ? name === 'tokens' : name.endsWith('-wal'))),
    stateNames.join(),
  )
  for (const secret of live)
    assert.ok(found['the state']?.includes(hash('sha256', secret, 'buffer').toString('latin1')), secret)
})

test('secrets: none is in the state, in the log or in what the system tells of the process', () => {
  assert.ok(found['the state']?.includes('svc_ak_') && found['cmdline']?.includes('serve'))
  assert.ok((found['the log']?.split('\n').length ?? 0) > answers.length)
  for (const [where, bytes] of Object.entries(found)) assertNone(where, bytes)
  told(`secrets on ${engineUnderTest}: ${secrets.size} secrets in ${answers.length} requests, none found`)
})

test('secrets: no error repeats one, wherever it was sent', () => {
  const errors = answers.filter(({ status }) => status !== 200)
  assert.ok(errors.length > 150)
  for (const { text, headers } of errors) assertNone(text, text + JSON.stringify(headers))
})

// How far the counts are from equal ones: the sum of the squared distances, each by what is expected.
const chiSquare = (counts: Iterable<number>, expected: number) =>
  [...counts].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)

for (const [name, make] of Object.entries({ codes: makeSecurityCode, tokens: makeToken })) {
  test(`secrets: ${name} are at least 160 bits, each letter and each pair as likely as any other`, () => {
    const made = Array.from({ length: howMuch(1000, 100_000) }, () => make().slice(7))
    assert.equal(new Set(made).size, made.length)
    const letters = [...new Set(made.join(''))]
    const length = made[0]?.length ?? 0
    const bits = length * Math.log2(letters.length)
    const singles = new Map(letters.map((letter) => [letter, 0]))
    const pairs = new Map(letters.flatMap((one) => letters.map((other) => [one + other, 0])))
    for (const text of made)
      for (let at = 0; at < length; at += 1) {
        const letter = text.charAt(at)
        singles.set(letter, (singles.get(letter) ?? 0) + 1)
        // Apart from each other: pairs that share a letter would not be independent.
        if (at % 2 === 0) pairs.set(text.slice(at, at + 2), (pairs.get(text.slice(at, at + 2)) ?? 0) + 1)
      }
    const found = [singles, pairs].map((counts) => {
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
      const degrees = counts.size - 1
      const value = chiSquare(counts.values(), total / counts.size)
      // Eight standard deviations above what chance gives on average: less than once in many million runs.
      return { value, degrees, most: degrees + 8 * Math.sqrt(2 * degrees) }
    })
    const said = found.map(
      ({ value, degrees, most }) => `${value.toFixed(1)} (${degrees} degrees, at most ${most.toFixed(0)})`,
    )
    told(
      `secrets: ${made.length} ${name} of ${bits.toFixed(0)} bits, chi-square of letters and pairs: ${said.join(', ')}`,
    )
    assert.ok(bits >= 160)
    for (const { value, most } of found) assert.ok(value < most)
  })
}
