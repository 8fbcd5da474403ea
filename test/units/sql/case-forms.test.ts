// Search on PostgreSQL takes the same letters for equal as a regular expression of JavaScript with the flags i and u, in
// all of Unicode, and no text can be taken for a pattern. VITRINE_TEST_SEED repeats a run.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as fc from 'fast-check'
import { connectPostgres, type PostgresConnection } from '../../../src/platform/postgres/connection.ts'
import { anyCasePattern, caseForms, casedCharacters } from '../../../src/sql/case-forms.ts'
import { urlOf } from '../../support/place-postgres.ts'

const seed = Number(process.env['VITRINE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const isSame = (one: string, other: string) => new RegExp(`^${RegExp.escape(one)}$`, 'iu').test(other)
const cased = [...casedCharacters()]

function charactersOutside(known: ReadonlySet<string>): string {
  let found = ''
  for (let at = 0; at < 0x110000; at += 1) {
    const character = String.fromCodePoint(at)
    if ((at < 0xd800 || at > 0xdfff) && !known.has(character)) found += character
  }
  return found
}

test('no character of Unicode beyond the known ones has another form', () => {
  const outside = charactersOutside(new Set(cased))
  assert.equal(outside.match(new RegExp(`[${casedCharacters()}]`, 'iu')), null)
  // What has no other form is also left as it is by both ways of writing it, or becomes several letters.
  const changed = [...outside].filter((character) => {
    const others = [character.toLowerCase(), character.toUpperCase()]
    return others.some((other) => other !== character && [...other].length === 1)
  })
  assert.deepEqual(changed, [])
})

test('every character has the forms that are equal to it, and they have it', () => {
  const everything = charactersOutside(new Set())
  let pairs = 0
  for (const character of cased) {
    const forms = [...caseForms(character)]
    assert(forms.includes(character), character)
    for (const form of forms) {
      assert(isSame(character, form), `${character} ${form}`)
      assert.deepEqual(new Set(caseForms(form)), new Set(forms), `${character} ${form}`)
      pairs += 1
    }
  }
  assert(pairs > 5000, `${pairs} pairs`)
  for (const character of fc.sample(fc.constantFrom(...cased), { numRuns: 60, seed }))
    assert.deepEqual(
      new Set(everything.match(new RegExp(RegExp.escape(character), 'giu'))),
      new Set(caseForms(character)),
    )
})

let connection: PostgresConnection
before(async () => {
  connection = await connectPostgres(await urlOf('public'), { timeoutMs: 30_000, setUp: 'SET statement_timeout = 0' })
})
after(() => connection.close())

// What regular expressions, of PostgreSQL and others, take for their own; letters with several forms; parts of letters.
const signs =
  `*** ***= ***: (?i) (?x) (?= (?: (?# [.a.] [=a=] [:alpha:] [^a] [a-z] []a] \\ \\d \\m \\y \\1 \\u0041 \\x41 {2} { } ^ $
  . * + ? | ( ) [ ] - # " ' % _ / &`.split(/\s+/)
const letters = [...'aAbzZkK\u212asSſßẞåÅ\u212biIİıΣσςµμΜǄǅǆéÉeE漢ᎠaაᲐ\uab70ŉǰᾳᾼΐ\u1fd3\ufb01\ufb06']
const others = `\n \r \t \u0001 \u007f \u0085 \u2028 e\u0301 i\u0307 \u0345 \u0399 \u1fbe 𐐀 𐐨 𞤀 𞤢 😀 👩\u200d👧 \uffff \u{10ffff} \ue000`
const pieces = [' ', ...signs, ...letters, ...others.split(' ')]
const someText = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''))

// A part of the stored text with some of its letters in another form, or any other text.
const asked = (stored: string) =>
  fc.oneof(
    { weight: 1, arbitrary: someText },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.nat(), fc.integer({ min: 1, max: 6 }), fc.infiniteStream(fc.nat()))
        .map(([start, length, choices]) => {
          const characters = [...stored]
          const from = start % characters.length
          return characters
            .slice(from, from + length)
            .map((each) => {
              const forms = [...caseForms(each)]
              return forms[Number(choices.next().value) % forms.length] ?? each
            })
            .join('')
        }),
    },
  )
const pair = someText.chain((stored) => fc.record({ stored: fc.constant(stored), text: asked(stored) }))

const matches = async (pairs: readonly { stored: string; pattern: string }[]) => {
  const rows = await connection.rows(
    `SELECT p.stored COLLATE "C" ~ p.pattern FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS p (stored, pattern, place)
     ORDER BY p.place`,
    [pairs.map(({ stored }) => stored), pairs.map(({ pattern }) => pattern)],
  )
  return rows.map(([found]) => found)
}

test('a text is found as a pattern exactly where JavaScript finds it, whatever signs it holds', async () => {
  console.log(`case forms: seed ${seed}`)
  let found = 0
  let missed = 0
  const property = fc.asyncProperty(fc.array(pair, { minLength: 1, maxLength: 400, size: 'max' }), async (pairs) => {
    const patterns = pairs.map(({ stored, text }) => ({ stored, pattern: anyCasePattern(text) }))
    const expected = pairs.map(({ stored, text }) => new RegExp(RegExp.escape(text), 'iu').test(stored))
    assert.deepEqual(await matches(patterns), expected)
    found += expected.filter(Boolean).length
    missed += expected.filter((isFound) => !isFound).length
  })
  await fc.assert(property, { seed, numRuns: 30 })
  assert(found > 500 && missed > 500, `${found} found, ${missed} missed`)
})
