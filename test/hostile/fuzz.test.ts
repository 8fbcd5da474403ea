// Random requests over every parameter of every route, from a grammar of right values, edges and attacks: none is a defect,
// nothing invalid is accepted and nothing valid refused, and what is found is what a plain search over the rows finds, to the
// byte. Every answer is held to the OpenAPI document on its way. VITRINE_TEST_SEED repeats a run.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { expectedAnswer } from '../model/model.ts'
import type { Database, Row } from '../model/relations.ts'
import { company, filledRow } from '../support/fixture.ts'
import { grantOf, tally } from '../support/grants.ts'
import { howMuch, seedOfRun as seed, told } from '../support/how-much.ts'
import { allPermissions } from '../support/routes.ts'
import { filterNames, labelsOf, specification, type ResourceRule } from '../support/specification/index.ts'
import { createWorld, type World } from '../support/world.ts'
import * as corpora from './corpora.ts'
import { faultsOf, isInteger, type Parameter } from './judge.ts'
import { randomFrom, type Random } from '../support/random.ts'

const requests = howMuch(5000, 100_000)
const odd = [...corpora.injections, ...corpora.wildcards, ...corpora.letters]

// What is searched for is also stored, so that there is something to find and something to miss.
function withOddNames(rows: Database): Database {
  const texts = odd.filter((text) => text.length <= 120)
  const added = specification.map(({ relation, search }): [string, Row[]] => {
    const more = texts
      .filter((_, at) => at % 9 === relation.length % 9)
      .map((text, at) =>
        filledRow(
          relation,
          1001 + at,
          Object.fromEntries(
            search.map((column, place) => [column, place === at % search.length ? text : `${at} ${column}`]),
          ),
        ),
      )
    return [relation, [...(rows[relation] ?? []), ...more]]
  })
  return { ...rows, ...Object.fromEntries(added) }
}

const rows = withOddNames(company)
const access = { permissions: allPermissions, stores: null, priceList: null }
let world: World
let token: string
before(async () => {
  world = await createWorld({ rows, readers: 2 })
  token = await world.tokenFor()
})
after(() => world.close())

// Lone surrogates cannot be escaped; they stand among the broken escapes.
const escape = (text: string, random: Random) => {
  const escaped = encodeURIComponent(text)
  const how = random.upTo(6)
  if (how === 0) return escaped.replaceAll('%20', '+')
  if (how === 1) return escaped.replaceAll(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())
  if (how === 2) return Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  return escaped
}

function storedPiece(resource: ResourceRule, random: Random): string {
  const row = random.of(rows[resource.relation] ?? [])
  const text = Array.from(String(row[random.of(resource.search)] ?? ''))
  const start = random.upTo(Math.max(1, text.length - 2))
  const piece = text.slice(start, start + 2 + random.upTo(6)).join('')
  return random.of([piece, piece, piece.toUpperCase(), piece.toLowerCase()])
}

function rightValue(name: string, resource: ResourceRule, random: Random): string {
  if (name === 'page') return random.of(['1', '2', '3', '10000'])
  if (name === 'per_page') return random.of(['1', '2', '25', '100'])
  if (name === 'sort') return random.of(resource.sorts)
  if (name === 'search') return storedPiece(resource, random)
  if (name === 'status') return random.of(resource.status)
  if (name === 'type') return random.of(labelsOf(resource, name))
  if (name === 'payment_status') return random.of(['paid', 'unpaid', 'paid,unpaid'])
  if (name === 'currency') return random.of(['USD', 'HTG'])
  if (name.endsWith('_id')) return random.of(['0', '1', '2', '3', '999'])
  return random.of(['2026-03-01', '2026-03-02', '2025-12-31', '2024-02-29', '0001-01-01', '9999-12-31'])
}

const kindsOf = (name: string) =>
  name === 'sort'
    ? corpora.sorts
    : name.startsWith('date') || name.startsWith('updated')
      ? corpora.times
      : name.endsWith('_id') || name.includes('page')
        ? corpora.integers
        : name === 'search'
          ? odd
          : corpora.labels
const anything = [...odd, ...corpora.integers, ...corpora.times, ...corpora.labels, ...corpora.sorts, '', '\0', 'a\0b']
const strangers = [
  'id',
  'limit',
  'offset',
  'q',
  'fields',
  'PAGE',
  'page[]',
  'page.',
  ' page',
  'filter[status]',
  '__proto__',
  'constructor',
  'toString',
  'access_token',
  'ｐａｇｅ',
  "a'b",
  'a b',
  '',
]

const textOf = (raw: string) => decodeURIComponent(raw.replaceAll('+', ' '))

function parameterOf(name: string, resource: ResourceRule, random: Random): Parameter {
  const how = random.upTo(20)
  if (how === 0) {
    const value = random.of(corpora.brokenEscapes)
    return { raw: `${escape(name, random)}=${value}`, name, value: null }
  }
  // Without an equals sign it is empty.
  if (how === 1) return { raw: encodeURIComponent(name), name, value: '' }
  if (how === 2) {
    const value = random.of(['\0', '\0ab', 'ab\0', `${rightValue(name, resource, random)}\0`])
    return { raw: `${escape(name, random)}=${encodeURIComponent(value)}`, name, value }
  }
  const value = how < 10 ? rightValue(name, resource, random) : random.of(how < 16 ? kindsOf(name) : anything)
  if (!value.isWellFormed()) return { raw: `${name}=1`, name, value: '1' }
  const escaped = escape(value, random)
  return { raw: `${escape(name, random)}=${escaped}`, name, value: textOf(escaped) }
}

function parametersFor(resource: ResourceRule, random: Random): Parameter[] {
  const known = ['page', 'per_page', 'sort', 'search', 'search', ...filterNames(resource)]
  const found = Array.from({ length: 1 + random.upTo(3) }, () => parameterOf(random.of(known), resource, random))
  const once = found.filter(({ name }, at) => found.findIndex((each) => each.name === name) === at)
  const how = random.upTo(30)
  if (how === 0) return found
  if (how === 1) return [...once, ...once]
  if (how === 2) return [...once, parameterOf(random.of(strangers), resource, random)].filter(({ raw }) => raw !== '')
  if (how === 3)
    return [...once, { raw: `${random.of(corpora.brokenEscapes)}=1`, name: '', value: null }].map(namedByRaw)
  return once
}

// A name that cannot be read is named as it stands.
const namedByRaw = (parameter: Parameter): Parameter =>
  parameter.name === '' && parameter.value === null
    ? { ...parameter, name: parameter.raw.split('=')[0] ?? '' }
    : parameter

const separators = ['&', '&', '&', '&&']
const seen: string[] = []

async function check(target: string, faults: readonly string[], expected?: () => { status: number; text?: string }) {
  const answer = await world.ask(target, { token })
  const what = `seed ${seed}: GET ${target} answered ${answer.status} ${answer.text.slice(0, 600)}`
  assert.ok(answer.status < 500, what)
  if (faults.length > 0) {
    assert.deepEqual(
      [answer.status, answer.body.error?.code],
      [400, 'invalid_parameter'],
      `${what}; faults: ${faults.join()}`,
    )
    const named = (answer.body.error.details as { parameter: string }[]).map(({ parameter }) => parameter)
    assert.deepEqual(named.toSorted(), faults, what)
    seen.push('refused')
    return
  }
  const { status, text } = expected?.() ?? { status: 200 }
  assert.equal(answer.status, status, what)
  if (status === 200 && text !== undefined) assert.equal(answer.text, text, what)
  seen.push(status === 404 ? 'not there' : answer.body.data?.length === 0 ? 'nothing found' : 'found')
}

async function checkList(random: Random) {
  const resource = random.of(specification)
  const parameters = parametersFor(resource, random)
  const target = `/${resource.name}?${parameters.map(({ raw }) => raw).join(random.of(separators))}`
  for (const { name } of parameters) seen.push(`parameter ${name}`)
  const read = Object.fromEntries(parameters.map(({ name, value }) => [name, value ?? '']))
  await check(target, faultsOf(parameters, resource), () =>
    expectedAnswer(rows, { resource: resource.name, id: null, parameters: read }, access),
  )
}

const pathSafe = (text: string) => encodeURIComponent(text).replaceAll('.', '%2E')

async function checkDetail(random: Random) {
  const resource = random.of(specification)
  const id = random.of([...corpora.integers, ...corpora.integers, ...corpora.injections])
  const parameters = random.upTo(6) === 0 ? parametersFor(resource, random) : []
  const query = parameters.length > 0 ? `?${parameters.map(({ raw }) => raw).join('&')}` : ''
  const raw = pathSafe(id)
  // An id is read as it stands in the path: an escape is no digit.
  const isFault = !isInteger(raw)
  // A query may hold an `id` of its own, which is a fault of its own.
  const faults = [...(isFault ? ['id'] : []), ...faultsOf(parameters, null)].toSorted()
  await check(`/${resource.name}/${raw}${query}`, faults, () =>
    expectedAnswer(rows, { resource: resource.name, id: Number(id), parameters: {} }, access),
  )
}

async function checkOther(random: Random) {
  const parameters = parametersFor(random.of(specification), random)
  const query = parameters.map(({ raw }) => raw).join('&')
  const other = random.of(['ping', 'resources'])
  await check(`/status?${query}`, [])
  await check(`/${other}?${query}`, faultsOf(parameters, null))
}

// Some at a time: a single caller would wait most of the time.
const together = 16
async function checkAll(checks: Iterable<() => Promise<void>>) {
  let underWay: Promise<void>[] = []
  for (const start of checks) {
    underWay.push(start())
    if (underWay.length < together) continue
    await Promise.all(underWay)
    underWay = []
  }
  await Promise.all(underWay)
}

test('lists, details and the other routes: whatever is asked is answered as the specification has it', async () => {
  const random = randomFrom(seed)
  told(
    `fuzz: seed ${seed}, ${corpora.injections.length} injections, ${corpora.wildcards.length} wildcards, ${anything.length} values`,
  )
  // Each draws what it needs before it asks, so that a seed repeats the run.
  const one = () => {
    const kind = random.upTo(10)
    return kind < 7 ? checkList(random) : kind < 9 ? checkDetail(random) : checkOther(random)
  }
  await checkAll(Array.from({ length: requests }, () => one))
  const counts = tally(seen)
  told(
    `fuzz: ${requests} requests: ${['refused', 'found', 'nothing found', 'not there'].map((each) => `${counts[each] ?? 0} ${each}`).join(', ')}`,
  )
  // A run that never got so far would prove little.
  for (const each of ['refused', 'found', 'nothing found', 'not there'])
    assert.ok((counts[each] ?? 0) > requests / 1000, each)
  for (const name of new Set(specification.flatMap(filterNames))) assert.ok(counts[`parameter ${name}`], name)
})

test('every injection and every wildcard over every parameter of every list', async () => {
  const random = randomFrom(seed)
  const attacks = [...corpora.injections, ...corpora.wildcards]
  // In the quick run each parameter meets a share of them, in the long one all.
  const share = howMuch(25, 1)
  const checks = specification.flatMap((resource) =>
    ['page', 'per_page', 'sort', 'search', ...filterNames(resource)].flatMap((name) => {
      const start = random.upTo(share)
      return attacks
        .filter((_, at) => at % share === start)
        .map((value) => () => {
          const parameters = [{ raw: `${name}=${encodeURIComponent(value)}`, name, value }]
          return check(`/${resource.name}?${parameters[0]?.raw}`, faultsOf(parameters, resource), () =>
            expectedAnswer(rows, { resource: resource.name, id: null, parameters: { [name]: value } }, access),
          )
        })
    }),
  )
  await checkAll(checks)
  told(`fuzz: ${checks.length} attacks over single parameters`)
})

// As RFC 6749 and the decisions have it: the body is read first, then the grant, the credentials, the scope.
function codeOfSignIn(form: readonly Parameter[], right: Record<string, string>): string | null {
  const names = form.map(({ name }) => name)
  if (form.some(({ value }) => value === null) || new Set(names).size < names.length) return 'invalid_request'
  const sent = (name: string) => form.find((each) => each.name === name)?.value || null
  if (sent('grant_type') === null) return 'invalid_request'
  if (sent('grant_type') !== 'client_credentials') return 'unsupported_grant_type'
  if (sent('client_id') !== right['client_id'] || sent('client_secret') !== right['client_secret'])
    return 'invalid_client'
  const scope = sent('scope')
  if (scope === null) return null
  const wanted = scope.split(' ').filter((name) => name !== '')
  return wanted.length > 0 && wanted.every((name) => allPermissions.includes(name)) ? null : 'invalid_scope'
}

test('/auth/token: whatever the form holds, it is a token or the right refusal', async () => {
  const random = randomFrom(seed + 1)
  const right: Record<string, string> = grantOf(await world.makeKey(), { scope: 'reference:read' })
  const codes: string[] = []
  const attempts = howMuch(500, 5000)
  for (let count = 0; count < attempts; count += 1) {
    const changed = random.of(Object.keys(right))
    const form = Object.entries(right).map(([name, value]): Parameter => {
      const isOdd = name === changed && random.upTo(5) > 0
      if (isOdd && random.upTo(8) === 0)
        return { raw: `${name}=${random.of(corpora.brokenEscapes)}`, name, value: null }
      const text = isOdd
        ? random.of(random.upTo(4) === 0 ? [value.toUpperCase(), `${value} `, `${value}\0`, ` ${value}`] : anything)
        : value
      const escaped = escape(text, random)
      return { raw: `${name}=${escaped}`, name, value: textOf(escaped) }
    })
    const sent = random.upTo(15) === 0 ? [...form, random.of(form)] : form
    // From an address of its own: windows and blocks are not what this is about.
    const address = `10.99.${count >> 8}.${count & 255}`
    const answer = await world.signIn(sent.map(({ raw }) => raw).join('&'), { address })
    const expected = codeOfSignIn(sent, right)
    const what = `seed ${seed}: ${sent.map(({ raw }) => raw).join('&')} answered ${answer.text.slice(0, 300)}`
    assert.equal(answer.status === 200 ? null : answer.body.error, expected, what)
    codes.push(String(expected))
  }
  told(`fuzz: ${attempts} token requests: ${JSON.stringify(tally(codes))}`)
  assert.equal(new Set(codes).size, 5)
})

// Runs last: what came before is its input.
test('none of all this was a defect in the eyes of the log', () => {
  assert.deepEqual(
    world.logged.filter(({ level, status }) => level === 'error' || Number(status) >= 500),
    [],
  )
})
