// List parameters: pages, the order of sorts, ties and empty values, the order of text, ranges of dates and times.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { emptyRow, filledRow } from '../support/fixture.ts'
import type { Rows } from '../support/pos.ts'
import { createWorld, type World } from '../support/world.ts'

// By code point, after folding ASCII letters: each group holds names that compare as equal.
const nameGroups: readonly (readonly (string | null)[])[] = [
  [null, null],
  [' b'],
  ['!'],
  ['-a'],
  ['10'],
  ['9'],
  ['a'],
  ['A-'],
  ['a1'],
  ['AB', 'ab', 'aB', 'Ab'],
  ['aba'],
  ['B', 'b'],
  ['z', 'Z'],
  ['zz'],
  ['{'],
  ['É'],
  ['Éa'],
  // Accents are no letters of ASCII: their case is not folded.
  ['é'],
  ['Ω'],
  ['ω'],
  ['я'],
  ['中'],
  // Above the surrogates of UTF-16, so that an order by its units would put it after the next one.
  ['\u{ff5e}'],
  ['\u{10000}'],
  ['😀'],
]
const names = nameGroups.flatMap((group, at) => group.map((name) => ({ name, at })))
// Stored in another order than any that is asked for.
const shuffled = names.toSorted((one, other) => ((one.at * 7) % 11) - ((other.at * 7) % 11))
const vendors = shuffled.map(({ name }, at) => filledRow('vendors', at + 1, { name, code: null, updated_at: null }))

function vendorIds(groups: readonly (readonly (string | null)[])[], ties: 1 | -1): number[] {
  return groups.flatMap((group) => {
    const ids = shuffled.flatMap(({ name }, at) => (group.includes(name) ? [at + 1] : []))
    return ids.toSorted((one, other) => (one - other) * ties)
  })
}

const payment = (id: number, date: string | null, amount: number | null, updated: string | null) =>
  filledRow('payments', id, { date, amount_received: amount, updated_at: updated, status: 3 })
const day = (number: number) => `2026-05-0${number}T12:00:00`

const rows: Rows = {
  vendors,
  payments: [
    payment(1, day(1), 10, day(3)),
    payment(2, day(1), 10, day(2)),
    payment(3, day(1), null, day(1)),
    payment(4, null, 10, day(1)),
    payment(5, day(2), -1, null),
    payment(6, null, null, null),
    payment(7, day(2), -1, null),
    payment(8, day(1), 10, day(2)),
  ],
  transfers: [
    ...['2026-04-30T23:59:59', '2026-05-01T00:00:00', '2026-05-01T23:59:59', '2026-05-02T00:00:00'].map((date, at) =>
      filledRow('transfers', at + 1, { date, updated_at: date }),
    ),
    emptyRow('transfers', 5),
  ],
}

let world: World
let token: string
before(async () => {
  world = await createWorld({ rows })
  token = await world.tokenFor()
})
after(() => world.close())

async function ids(target: string): Promise<number[]> {
  const { status, body, text } = await world.ask(target, { token })
  assert.equal(status, 200, text)
  return body.data.map(({ id }: { id: number }) => id)
}

suite('pages', () => {
  test('consecutive pages neither repeat nor skip, whatever the sort and the size', async () => {
    for (const sort of ['name', '-name', 'code', '-updated_at', 'updated_at,code', 'id']) {
      const whole = await ids(`/vendors?sort=${sort}&per_page=100`)
      assert.equal(whole.length, names.length)
      for (const size of [1, 4, 7, names.length]) {
        const pages: number[] = []
        for (let page = 1; page <= Math.ceil(names.length / size); page += 1)
          pages.push(...(await ids(`/vendors?sort=${sort}&per_page=${size}&page=${page}`)))
        assert.deepEqual(pages, whole, `${sort} by ${size}`)
      }
    }
  })

  test('page goes from 1 to 10000 and per_page from 1 to 100', async () => {
    for (const query of ['page=1', 'page=10000', 'per_page=1', 'per_page=100'])
      assert.equal((await world.ask(`/vendors?${query}`, { token })).status, 200, query)
    for (const query of ['page=0', 'page=10001', 'page=-1', 'per_page=0', 'per_page=101', 'per_page=-1']) {
      const { status, body } = await world.ask(`/vendors?${query}`, { token })
      assert.equal(status, 400, query)
      assert.equal(body.error.details[0].parameter, query.split('=')[0])
    }
  })
})

suite('sort', () => {
  const scenarios: readonly (readonly [sort: string, expected: readonly number[]])[] = [
    // Empty values are the smallest; ties go by id in the direction of the last field.
    ['date', [4, 6, 1, 2, 3, 8, 5, 7]],
    ['-date', [7, 5, 8, 3, 2, 1, 6, 4]],
    ['amount_received', [3, 6, 5, 7, 1, 2, 4, 8]],
    ['-amount_received', [8, 4, 2, 1, 7, 5, 6, 3]],
    ['date,amount_received', [6, 4, 3, 1, 2, 8, 5, 7]],
    ['date,-amount_received', [4, 6, 8, 2, 1, 3, 7, 5]],
    ['-date,amount_received', [5, 7, 3, 1, 2, 8, 6, 4]],
    ['date,amount_received,updated_at', [6, 4, 3, 2, 8, 1, 5, 7]],
    ['date,amount_received,-updated_at', [6, 4, 3, 1, 8, 2, 7, 5]],
    ['-amount_received,date,updated_at', [4, 2, 8, 1, 5, 7, 6, 3]],
    ['id', [1, 2, 3, 4, 5, 6, 7, 8]],
    ['-id', [8, 7, 6, 5, 4, 3, 2, 1]],
    ['date,-id', [6, 4, 8, 3, 2, 1, 7, 5]],
    ['-date,id', [5, 7, 1, 2, 3, 8, 4, 6]],
    ['id,-date,amount_received', [1, 2, 3, 4, 5, 6, 7, 8]],
  ]
  for (const [sort, expected] of scenarios) {
    test(`sort=${sort}`, async () => assert.deepEqual(await ids(`/payments?sort=${sort}`), expected))
  }

  test('text goes by code point after folding ASCII letters; what is then equal goes by id', async () => {
    assert.deepEqual(await ids('/vendors?sort=name&per_page=100'), vendorIds(nameGroups, 1))
    assert.deepEqual(await ids('/vendors?sort=-name&per_page=100'), vendorIds(nameGroups.toReversed(), -1))
    assert.deepEqual(await ids('/vendors?sort=name,-id&per_page=100'), vendorIds(nameGroups, -1))
    assert.deepEqual(await ids('/vendors?sort=-name,id&per_page=100'), vendorIds(nameGroups.toReversed(), 1))
  })

  const refused =
    'name,code,updated_at,id|name,name|name,-name|-id,id|name,|,name|,|-|--name|+name|name |Name|NAME|name asc|nam|price'
      .concat('|name;code|name,code,|id,name,code,')
      .split('|')
  for (const sort of refused) {
    test(`sort=${sort} is refused`, async () => {
      const { status, body } = await world.ask(`/vendors?sort=${encodeURIComponent(sort)}`, { token })
      assert.equal(status, 400)
      assert.deepEqual(
        body.error.details.map((detail: { parameter: string }) => detail.parameter),
        ['sort'],
      )
    })
  }

  test('three fields are allowed', async () => {
    assert.equal((await world.ask('/vendors?sort=name,-code,updated_at', { token })).status, 200)
  })
})

suite('dates and times', () => {
  const scenarios: readonly (readonly [query: string, expected: readonly number[]])[] = [
    ['date_from=2026-05-01', [2, 3, 4]],
    ['date_from=2026-05-02', [4]],
    ['date_from=2026-05-03', []],
    ['date_to=2026-05-01', [1, 2, 3]],
    ['date_to=2026-04-30', [1]],
    ['date_to=2026-04-29', []],
    ['date_from=2026-05-01&date_to=2026-05-01', [2, 3]],
    ['date_from=2026-05-02&date_to=2026-05-01', []],
    ['date_from=0001-01-01&date_to=9999-12-31', [1, 2, 3, 4]],
    ['updated_since=2026-05-01', [2, 3, 4]],
    ['updated_since=2026-05-01T00:00:00', [2, 3, 4]],
    ['updated_since=2026-05-01T00:00:01', [3, 4]],
    ['updated_since=2026-05-01T23:59:59', [3, 4]],
    ['updated_since=2026-05-01T23%3A59%3A59', [3, 4]],
    ['updated_since=2026-05-02T00:00:00', [4]],
    ['updated_since=2026-05-02T00:00:01', []],
  ]
  for (const [query, expected] of scenarios) {
    test(`${query} finds ${expected.join(', ') || 'nothing'}`, async () => {
      assert.deepEqual(await ids(`/transfers?sort=id&${query}`), expected)
    })
  }
})
