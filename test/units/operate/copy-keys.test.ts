// The number of a key that is a text: it follows from the text alone. Two texts with one number are settled, by a hash of few bits.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { hashedNumbers, hashKey, isHashed, numberTexts, type HashKey } from '../../../src/operate/copy/keys.ts'

const inMemory = () => {
  const held = new Map<number, string>()
  return {
    held,
    find: async (_: string, numbers: readonly number[]) =>
      new Map(numbers.flatMap((number) => (held.has(number) ? [[number, held.get(number) ?? ''] as const] : []))),
    async add(_: string, keys: ReadonlyMap<number, string>) {
      for (const [number, key] of keys) {
        assert(!held.has(number), `${key} would get the number of ${held.get(number)}`)
        held.set(number, key)
      }
    },
  }
}

const numbersOf = async (keys: readonly string[], table = inMemory(), hash?: HashKey) =>
  Object.fromEntries(await numberTexts('customers', new Set(keys), table, hash))

/** Few numbers, at the end of the range. */
const two: HashKey = (_, key) => hashedNumbers.to - 1 + (key.length % 2)
const seven: HashKey = (_, key) => hashedNumbers.from + (Number(key.slice(1)) % 7)
const at = (place: number) => hashedNumbers.from + place

suite('the number of a text key', () => {
  test('the text of a whole number is that number, and takes no place in the table', async () => {
    const table = inMemory()
    assert.deepEqual(await numbersOf(['1', '10', '281474976710655'], table), {
      '1': 1,
      '10': 10,
      '281474976710655': 2 ** 48 - 1,
    })
    assert.equal(table.held.size, 0)
  })

  test('any other text gets 48 bits of a hash, above the whole numbers', async () => {
    const others = ['', '0', '-4', '007', '+7', '7.0', ' 7', '٧', '1e3', 'RIZ', '281474976710656', '1'.repeat(40)]
    const numbers = await numbersOf(others)
    for (const [key, number] of Object.entries(numbers)) {
      assert(isHashed(number) && Number.isSafeInteger(number), `${key}: ${number}`)
      assert.equal(number, hashKey('customers', key))
    }
    assert.equal(new Set(Object.values(numbers)).size, others.length)
    assert.deepEqual(hashedNumbers, { from: 2 ** 48, to: 2 ** 49 - 1 })
  })

  // Another value here would give every record of every copy another id.
  test('is the same for ever, and another one in another relation', () => {
    assert.equal(hashKey('customers', 'C-001'), 461208251492742)
    assert.equal(hashKey('products', 'C-001'), 460578783730144)
    assert.equal(hashKey('customers', ''), 554869891002857)
  })

  test('two texts with one number: the next number, which stays, whatever comes first later', async () => {
    const table = inMemory()
    // Within one batch by text, not by the order of rows; the number after the last one is the first.
    const first = await numbersOf(['cc', 'aa', 'b', '5'], table, two)
    assert.deepEqual(first, { aa: hashedNumbers.to - 1, b: hashedNumbers.to, cc: at(0), '5': 5 })
    const more = await numbersOf(['ab', 'cc', 'a'], table, two)
    assert.deepEqual(more, { cc: at(0), a: at(1), ab: at(2) })
    for (const keys of [['ab', 'cc', 'a'], ['cc'], ['b', 'aa']])
      for (const [key, number] of Object.entries(await numbersOf(keys, table, two)))
        assert.equal(number, { ...first, ...more }[key])
  })

  test('many texts and few numbers: each text has one number, and no number two texts', async () => {
    const table = inMemory()
    const keys = Array.from({ length: 100 }, (_, at) => `k${(at * 31) % 100}`)
    const all: Record<string, number> = {}
    for (let at = 0; at < keys.length; at += 10)
      Object.assign(all, await numbersOf([...keys.slice(at, at + 10), ...keys.slice(0, 5)], table, seven))
    assert.equal(new Set(Object.values(all)).size, keys.length)
    assert.deepEqual(await numbersOf(keys, table, seven), all)
  })
})
