// A faulty request never makes an answer, or work, many times its own size: every parameter at fault has its one entry, but
// what an entry says is bounded. VITRINE_TEST_SEED repeats a run.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readParameters } from '../../src/query/parameters.ts'
import { readSort } from '../../src/query/sort-and-search.ts'
import { howMuch, seedOfRun as seed, told } from '../support/how-much.ts'
import { randomFrom, type Random } from '../support/random.ts'
import { specification } from '../support/specification/index.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let token: string
before(async () => {
  world = await createWorld()
  token = await world.tokenFor()
})
after(() => world.close())

interface Detail {
  readonly parameter: string
  readonly message: string
}

const faultsOf = async (target: string): Promise<Detail[]> => {
  const { status, body, text } = await world.ask(target, { token })
  assert.equal(status, 400, text.slice(0, 200))
  return body.error.details
}

const numbered = (count: number, prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${at}`)

// The shortest distinct names, without a value: each takes three bytes and gets the 45 bytes of an entry.
const mostTimes = 16
const constantBytes = 8192
// What a request line and its headers may have.
const mostBytes = 16_000

const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$*,;:@/?']
const pairs = letters.flatMap((one) => letters.map((other) => one + other))

const nastyValue = (random: Random): string =>
  random.of([
    () => numbered(1 + random.upTo(4000), random.of(['', 'x', 'nmae', 'unpayed'])).join(','),
    () => Array.from({ length: 1 + random.upTo(8000) }, () => random.of(letters)).join(','),
    () => ','.repeat(random.upTo(16_000)),
    () => random.of(['x', '9', '%01', '%22', '%5C', '%F0%9F%92%B0', '%', '%zz', '%00']).repeat(random.upTo(16_000)),
    () => 'id,'.repeat(random.upTo(5000)),
  ])()

function nastyQuery(random: Random, known: readonly string[]): string {
  const some = () => Array.from({ length: 1 + random.upTo(6000) })
  const query = random.of([
    () => `${random.of(known)}=${nastyValue(random)}`,
    () => known.map((name) => `${name}=${nastyValue(random).slice(0, 1 + random.upTo(1200))}`).join('&'),
    () => pairs.slice(0, 1 + random.upTo(pairs.length)).join('&'),
    () => pairs.map((pair) => `%${pair}`).join('&'),
    () =>
      some()
        .map(() => random.of(known))
        .join('&'),
    () =>
      some()
        .map(() => `${random.of([...known, 'nmae', 'stat'])}${random.upTo(3)}=${random.upTo(9)}`)
        .join('&'),
    () =>
      some()
        .map((_, at) => `custmer_i${at}`)
        .join('&'),
    () => `${random.of(['x', '%01', '%', '%22']).repeat(5000)}=1`,
  ])()
  return query.slice(0, mostBytes)
}

test('no query makes an answer many times its own size', async () => {
  const random = randomFrom(seed)
  let most = 0
  for (let turn = 0; turn < howMuch(300, 5000); turn += 1) {
    const { name, filters } = random.of(specification)
    const query = nastyQuery(random, ['page', 'per_page', 'sort', 'search', 'status', ...Object.keys(filters)])
    const target = `${random.of([`/${name}`, `/${name}`, `/${name}/1`, `/${name}/x`, '/ping', '/resources'])}?${query}`
    const { text } = await world.ask(target, { token })
    const bytes = Buffer.byteLength(text)
    most = Math.max(most, (bytes - constantBytes) / target.length)
    const what = `seed ${seed}: ${target.length} bytes became ${bytes}: ${target.slice(0, 200)}`
    assert.ok(bytes <= mostTimes * target.length + constantBytes, what)
  }
  told(`amplification: seed ${seed}, at most ${most.toFixed(1)} times the request, and ${constantBytes} bytes`)
})

test('of thousands of wrong fields and labels, ten are named and the others counted, in one entry', async () => {
  for (const [target, parameter] of [
    [`/invoices?sort=${numbered(8000, '').join(',')}`, 'sort'],
    [`/invoices?payment_status=${numbered(8000, '').join(',')}`, 'payment_status'],
  ] as const) {
    const [fault, ...others] = await faultsOf(target)
    assert.deepEqual([fault?.parameter, others], [parameter, []])
    assert.equal(fault?.message.match(/"\d+" is not allowed; allowed: /g)?.length, 10)
    assert.match(fault?.message ?? '', / 7990 more are not allowed\./)
  }
  const [eleven] = await faultsOf(`/products?type=${numbered(11, 'x').join(',')}`)
  assert.match(eleven?.message ?? '', / 1 more is not allowed\.$/)
  const [ten] = await faultsOf(`/products?type=${numbered(10, 'x').join(',')}`)
  assert.doesNotMatch(ten?.message ?? '', / more /)
})

test('the first 20 entries say what is allowed; from the 21st on each is one short sentence', async () => {
  const wrong = 'page=x&per_page=x&sort=x&status=x&payment_status=x&currency=x&date_from=x&search=x'
  const faults = await faultsOf(`/invoices?${numbered(19, 'custmer_i').join('&')}&${wrong}`)
  assert.equal(faults.length, 27)
  for (const { message } of faults.slice(0, 19)) assert.match(message, /^is not known; allowed: page, .*\./)
  assert.match(faults[19]?.message ?? '', /^"x" is not a whole number from 1 to 10000\.$/)
  assert.deepEqual(
    faults.slice(20).map(({ message }) => message),
    Array.from({ length: 7 }, () => 'is not allowed.'),
  )
  const [, ...unreadable] = await faultsOf(`/invoices?${numbered(20, 'x').join('&')}&%zz&%ff&y`)
  assert.deepEqual(
    unreadable.slice(19),
    ['%zz', '%ff', 'y'].map((parameter) => ({ parameter, message: 'is not known.' })),
  )
})

/** A list of names that counts how often it is gone through to find the nearest one. */
function counted(names: readonly string[]) {
  let walks = 0
  const list = new Proxy(names, {
    get(target, property, receiver) {
      if (property === Symbol.iterator) walks += 1
      return Reflect.get(target, property, receiver) as unknown
    },
  })
  return { list, walks: () => walks }
}

test('the nearest name is looked for as often as it is told, however long the query', () => {
  const known = counted(['page', 'per_page', 'sort', 'customer_id'])
  readParameters(numbered(4000, 'custmer_i').join('&'), known.list)
  assert.equal(known.walks(), 20)
  const repeated = counted(['page', 'customer_id'])
  const { faults } = readParameters('custmer_id=1&'.repeat(1200), repeated.list)
  assert.equal(repeated.walks(), 1)
  assert.equal(faults.length, 1)
  const sortable = counted(['id', 'name'])
  readSort(numbered(4000, 'nmae').join(','), sortable.list)
  assert.equal(sortable.walks(), 10)
})
