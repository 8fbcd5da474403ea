// Searched texts and the numbers they get. VITRINE_TEST_SEED repeats a run.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createInterner, foldForSearch, textAt, textCount, textsWith } from '../../../src/finder/texts.ts'
import { casedCharacters } from '../../../src/sql/case-forms.ts'
import { seedOfRun } from '../../support/how-much.ts'
import { randomFrom } from '../../support/random.ts'
import { textFrom } from './plain-list.ts'

const random = randomFrom(seedOfRun)

describe(`texts, seed ${seedOfRun}`, () => {
  test('two letters are folded to the same one exactly if a regular expression takes them for equal', () => {
    const characters = [...casedCharacters()]
    const byFold = Map.groupBy(characters, foldForSearch)
    for (const [folded, same] of byFold) {
      const equal = casedCharacters().match(new RegExp(RegExp.escape(folded), 'giu')) ?? []
      assert.deepEqual(same, [...equal], folded)
    }
  })

  test('equal texts have one code, different ones different codes', () => {
    const interner = createInterner()
    const codes = new Map<string, number>()
    for (let run = 0; run < 20_000; run += 1) {
      const text = textFrom(random, 5)
      const code = interner.add(text)
      assert.equal(code, codes.get(text) ?? codes.size + 1)
      codes.set(text, code)
    }
    const texts = interner.texts()
    assert.equal(textCount(texts), codes.size)
    for (const [text, code] of codes) assert.equal(textAt(texts, code), text)
  })

  test('a text is found by a part of it in any case, up to a NUL, and never across two texts', () => {
    for (let run = 0; run < 300; run += 1) {
      const given = Array.from({ length: random.upTo(60) }, () => textFrom(random, 8))
      const interner = createInterner()
      const codes = given.map((text) => interner.add(foldForSearch(text)))
      const texts = interner.texts()
      for (const needle of ['', 'a', '\0', 'a\0', '\ud800', ...Array.from({ length: 20 }, () => textFrom(random, 3))]) {
        const found = textsWith(texts, needle)
        const pattern = new RegExp(RegExp.escape(needle), 'iu')
        assert.equal(found[0], 0, 'no text is never found')
        for (const [at, text] of given.entries())
          assert.equal(
            found[codes[at] as number],
            Number(pattern.test(text.split('\0')[0] ?? '')),
            `${needle} in ${text}`,
          )
      }
    }
  })
})
