// Faulty parameters: each is refused with 400 invalid_parameter, all of them together, with a message that says what is
// allowed; nothing is ignored silently. Detail routes take no parameter at all.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { company } from '../support/fixture.ts'
import { specification, specified } from '../support/specification/index.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let token: string
before(async () => {
  world = await createWorld({ rows: company })
  token = await world.tokenFor()
})
after(() => world.close())

interface Detail {
  readonly parameter: string
  readonly message: string
}

async function faults(target: string): Promise<Detail[]> {
  const { status, body, headers, text } = await world.ask(target, { token })
  assert.equal(status, 400, `${target}: ${text.slice(0, 200)}`)
  assert.deepEqual(Object.keys(body), ['error'])
  assert.deepEqual(Object.keys(body.error), ['code', 'message', 'request_id', 'details'])
  assert.equal(body.error.code, 'invalid_parameter')
  assert.equal(body.error.request_id, headers['X-Request-Id'])
  for (const detail of body.error.details) {
    assert.deepEqual(Object.keys(detail), ['parameter', 'message'])
    assert.ok(typeof detail.message === 'string' && detail.message.length > 5)
  }
  assert.ok(!('X-Total-Count' in headers))
  return body.error.details
}

const faulty = async (target: string) => (await faults(target)).map(({ parameter }) => parameter)

// As they stand in a query string, escaped where they must be.
const malformedIntegers =
  'abc 1.0 1.5 1e3 0x10 +1 %2B1 01 00 -0 -01 --1 1- 1,2 1_000 ١ １ ½ %201 1%20 1%0A %091 NaN Infinity null true 1n'
    .concat(' 9007199254740992 -9007199254740992 99999999999999999999 1%00 %27%27 1;2 $1')
    .split(' ')
    .map((each) => (/^[\x20-\x7e]*$/.test(each) ? each : encodeURIComponent(each)))

suite('integers', () => {
  for (const value of malformedIntegers) {
    test(`${value} is malformed, in every integer parameter and as an id`, async () => {
      for (const parameter of ['page', 'per_page', 'customer_id', 'store_id'])
        assert.deepEqual(await faulty(`/invoices?${parameter}=${value}`), [parameter])
      assert.deepEqual(await faulty(`/invoices/${value}`), ['id'])
    })
  }

  test('each integer filter of each resource refuses a malformed integer', async () => {
    for (const { name, filters } of specification)
      for (const [filter, type] of Object.entries(filters))
        if (type === 'integer') assert.deepEqual(await faulty(`/${name}?${filter}=1x`), [filter])
  })

  test('0, negative numbers and the largest ones are well-formed', async () => {
    for (const value of ['0', '-1', '9007199254740991', '-9007199254740991']) {
      assert.equal((await world.ask(`/invoices?customer_id=${value}`, { token })).status, 200, value)
      const { status, body } = await world.ask(`/invoices/${value}`, { token })
      assert.equal(status, 404, value)
      assert.equal(body.error.code, 'not_found')
    }
  })
})

const impossibleDays =
  '2026-02-30 2026-02-29 1900-02-29 2100-02-29 2026-04-31 2026-13-01 2026-00-10 2026-01-00 2026-01-32 2026-1-1 26-01-01'
    .concat(' 20260101 2026-01 2026 01-02-2026 2026/01/01 2026-01-01Z today -2026-01-01 +02026-01-01 2026-01-01%20')
    .concat(' %202026-01-01 2026-01-0%D9%A1 2026-W01-1 2026-001')
    .split(' ')
const impossibleTimes =
  'T24:00:00 T12:60:00 T12:00:60 T23:59:60 T25:00:00 T12:00 T12 T T12:00:00Z T12:00:00%2B00:00 T12:00:00-05:00'
    .concat(' T12:00:00.5 %2012:00:00 t12:00:00 T1:00:00 T120000 T12:00:00%20 T-1:00:00')
    .split(' ')

suite('dates', () => {
  for (const value of impossibleDays) {
    test(`${value} is no date`, async () => {
      for (const parameter of ['date_from', 'date_to', 'updated_since'])
        assert.deepEqual(await faulty(`/payments?${parameter}=${value}`), [parameter])
      assert.deepEqual(await faulty(`/payments?updated_since=${value}T10:00:00`), ['updated_since'])
    })
  }

  for (const time of impossibleTimes) {
    test(`2026-01-05${time} is no time`, async () => {
      for (const parameter of ['date_from', 'date_to', 'updated_since'])
        assert.deepEqual(await faulty(`/payments?${parameter}=2026-01-05${time}`), [parameter])
    })
  }

  test('date_from and date_to take a day and no time', async () => {
    for (const parameter of ['date_from', 'date_to'])
      assert.deepEqual(await faulty(`/payments?${parameter}=2026-01-05T10:00:00`), [parameter])
  })

  test('days of leap years exist', async () => {
    for (const value of ['2024-02-29', '2000-02-29', '2026-12-31'])
      for (const parameter of ['date_from', 'date_to', 'updated_since'])
        assert.equal((await world.ask(`/payments?${parameter}=${value}`, { token })).status, 200, value)
    for (const value of ['2026-01-05T00:00:00', '2026-01-05T23:59:59', '2024-02-29T12:30:30'])
      assert.equal((await world.ask(`/payments?updated_since=${value}`, { token })).status, 200, value)
  })

  test('each date parameter of each resource refuses a 30th of February', async () => {
    for (const { name, filters } of specification)
      for (const [filter, type] of Object.entries(filters))
        if (type === 'date' || type === 'since')
          assert.deepEqual(await faulty(`/${name}?${filter}=2026-02-30`), [filter])
  })
})

suite('parameters', () => {
  const scenarios: readonly (readonly [query: string, parameters: readonly string[]])[] = [
    ['page=1&page=1', ['page']],
    ['page=1&page=2&page=3', ['page']],
    ['search=ab&search=cd', ['search']],
    ['status=void&status=all', ['status']],
    ['customer_id=1&customer_id=x', ['customer_id']],
    ['customer_id=x&customer_id=1', ['customer_id']],
    ['customer_id=&customer_id=1', ['customer_id']],
    ['p%61ge=1&page=1', ['page']],
    ['page=', ['page']],
    ['page', ['page']],
    ['search=', ['search']],
    ['sort=', ['sort']],
    ['status=', ['status']],
    ['currency=', ['currency']],
    ['date_from=', ['date_from']],
    ['unknown=1', ['unknown']],
    ['unknown', ['unknown']],
    ['Page=1', ['Page']],
    ['page%20=1', ['page ']],
    ['page[]=1', ['page[]']],
    ['limit=10', ['limit']],
    ['fields=id', ['fields']],
    ['__proto__=1', ['__proto__']],
    ['constructor=1', ['constructor']],
    ['=1', ['']],
    ['search=%', ['search']],
    ['search=ab%2', ['search']],
    ['search=ab%zz', ['search']],
    ['search=%C3%28', ['search']],
    ['search=%ED%A0%80x', ['search']],
    ['search=%FF%FE', ['search']],
    ['search=ab%00cd', ['search']],
    ['status=void%00', ['status']],
    ['%00=1', ['\0']],
    ['type=receipt', ['type']],
    ['vendor_id=1', ['vendor_id']],
    ['id=1', ['id']],
  ]
  for (const [query, parameters] of scenarios) {
    test(`${query} is refused`, async () => {
      assert.deepEqual(await faulty(`/invoices?${query}`), parameters)
    })
  }

  test('a bad escape in a name is a fault', async () => {
    assert.equal((await faulty('/invoices?%zz=1')).length, 1)
  })

  test('every resource refuses an unknown, an empty and a repeated parameter', async () => {
    for (const { name } of specification) {
      assert.deepEqual(await faulty(`/${name}?nothing=1`), ['nothing'])
      assert.deepEqual(await faulty(`/${name}?search=`), ['search'])
      assert.deepEqual(await faulty(`/${name}?sort=id&sort=id`), ['sort'])
    }
  })

  test('all faults are reported together, each under its name', async () => {
    const query =
      'page=0&per_page=101&sort=nothing&status=paid&payment_status=void&customer_id=x&store_id=&currency=EUR' +
      '&date_from=2026-02-30&date_to=x&updated_since=yesterday&search=a&colour=red&colour=blue&%zz=1'
    const found = await faulty(`/invoices?${query}`)
    const expected =
      'page per_page sort status payment_status customer_id store_id currency date_from date_to updated_since search colour %zz'
    assert.deepEqual(found.toSorted(), expected.split(' ').toSorted())
  })

  test('several wrong labels and sorts of one parameter are all named', async () => {
    const [type] = await faults('/products?type=inventory,widget,gadget')
    assert.ok(type?.message.includes('widget') && type.message.includes('gadget'))
    const [sort] = await faults('/products?sort=price,-cost,name,code')
    assert.ok(sort?.message.includes('price') && sort.message.includes('cost') && sort.message.includes('3'))
  })
})

suite('messages', () => {
  test('an unknown parameter is told the allowed ones, and the nearest where there is one', async () => {
    const { filters } = specified('invoices')
    const [detail] = await faults('/invoices?custmer_id=1')
    for (const name of ['page', 'per_page', 'sort', 'status', 'search', ...Object.keys(filters)])
      assert.ok(detail?.message.includes(name), name)
    assert.match(detail?.message ?? '', /customer_id\?$/)
    assert.doesNotMatch((await faults('/invoices?zzzzzzzzzzzzzz=1'))[0]?.message ?? '', /\?$/)
  })

  test('a wrong label is told the allowed ones, and the nearest where there is one', async () => {
    for (const { name, status } of specification.filter((rule) => rule.status.length > 0)) {
      const [detail] = await faults(`/${name}?status=nonsense`)
      for (const label of status) assert.ok(detail?.message.includes(label), `${name} ${label}`)
    }
    assert.match((await faults('/invoices?status=viod'))[0]?.message ?? '', /void\?$/)
    assert.match((await faults('/invoices?payment_status=unpayed'))[0]?.message ?? '', /unpaid\?$/)
    assert.match((await faults('/products?sort=nmae'))[0]?.message ?? '', /name\?$/)
    const [currency] = await faults('/invoices?currency=EUR')
    assert.ok(currency?.message.includes('USD') && currency.message.includes('HTG'))
  })

  const says: readonly (readonly [query: string, ...words: string[]])[] = [
    ['page=0', '1', '10000'],
    ['page=10001', '1', '10000'],
    ['per_page=500', '1', '100'],
    ['search=a', '2', '100'],
    ['date_from=2026-02-30', 'YYYY-MM-DD'],
    ['updated_since=now', 'YYYY-MM-DD', 'YYYY-MM-DDTHH:MM:SS'],
    ['sort=notes', 'id', 'date', 'total', 'updated_at'],
    ['customer_id=x', 'whole number'],
  ]
  for (const [query, ...words] of says) {
    test(`${query} is told what is allowed`, async () => {
      const [detail] = await faults(`/invoices?${query}`)
      for (const word of words) assert.ok(detail?.message.includes(word), `${detail?.message}: ${word}`)
    })
  }

  test('a long value is not repeated whole', async () => {
    const { text } = await world.ask(`/invoices?status=${'x'.repeat(5000)}&customer_id=${'9'.repeat(5000)}`, { token })
    assert.ok(text.length < 2000)
  })
})

suite('detail routes', () => {
  test('take no parameter: each is unknown, also those of lists', async () => {
    for (const { name } of specification)
      for (const query of ['page=1', 'sort=id', 'status=all', 'x=1', 'x', 'fields=']) {
        assert.deepEqual(await faulty(`/${name}/1?${query}`), [query.split('=')[0]])
      }
    assert.equal((await world.ask('/invoices/1?', { token })).status, 200)
  })

  test('report the id and the parameters together, before they look for the record', async () => {
    assert.deepEqual((await faulty('/invoices/abc?x=1&y=2')).toSorted(), ['id', 'x', 'y'])
    assert.deepEqual(await faulty('/invoices/424242?x=1'), ['x'])
    for (const { name } of specification) assert.deepEqual(await faulty(`/${name}/abc`), ['id'])
  })

  test('a well-formed id that does not exist is 404 not_found', async () => {
    for (const { name } of specification) {
      const { status, body } = await world.ask(`/${name}/424242`, { token })
      assert.equal(status, 404)
      assert.deepEqual(Object.keys(body.error), ['code', 'message', 'request_id'])
      assert.equal(body.error.code, 'not_found')
    }
  })
})

test('of thousands of unknown parameters each is named, and the answer stays small', async () => {
  const names = Array.from({ length: 2000 }, (_, at) => `x${at}`)
  const { status, body, text } = await world.ask(`/stores?${names.map((name) => `${name}=1`).join('&')}`, { token })
  assert.equal(status, 400)
  assert.deepEqual(
    body.error.details.map(({ parameter }: { parameter: string }) => parameter),
    names,
  )
  assert.ok(text.length < 60 * names.length, `${text.length} characters`)
})
