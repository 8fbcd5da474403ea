// The trigram index must find, for every character it is asked for, every other form of that character that our search takes for
// the same, and nothing else: what it finds is also counted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createContains } from '../../../src/engine/sqlite/contains.ts'
import { safeTrigrams } from '../../../src/sql/trigrams.ts'
import { openSqlite } from '../../../src/sqlite.ts'

const allCharacters = Array.from({ length: 0x110000 }, (_, at) => at)
  .filter((codePoint) => codePoint >= 1 && (codePoint < 0xd800 || codePoint > 0xdfff))
  .map((codePoint) => String.fromCodePoint(codePoint))

test('the index finds every form of every character it is asked for, in all of Unicode', () => {
  const database = openSqlite(':memory:')
  database.exec("CREATE VIRTUAL TABLE search USING fts5 (words, tokenize = 'trigram', columnsize = 0)")
  const insert = database.prepare('INSERT INTO search (rowid, words) VALUES (?, ?)')
  const find = database.prepare('SELECT rowid FROM search WHERE search MATCH ? AND rowid = ?')
  const contains = createContains()
  const everything = allCharacters.join('')
  let compared = 0
  let row = 0
  for (let codePoint = 0x20; codePoint <= 0x17f; codePoint += 1) {
    const asked = String.fromCodePoint(codePoint)
    const forms = everything.match(new RegExp(RegExp.escape(asked), 'giu')) ?? []
    assert(forms.length >= 1)
    for (const form of forms) {
      const stored = `12${form}34`
      const text = `2${asked}3`
      const [trigram = ''] = safeTrigrams(text)
      assert.equal(trigram, text)
      assert.equal(contains(text, stored), 1)
      insert.run(++row, stored)
      const found = find.all(`"${trigram.replaceAll('"', '""')}"`, BigInt(row))
      assert.equal(found.length, 1, `${JSON.stringify(text)} finds ${JSON.stringify(stored)}`)
      compared += 1
    }
  }
  database.close()
  assert(compared > 500)
})

test('the index finds no other character than those, in all of Unicode', () => {
  const database = openSqlite(':memory:')
  database.exec("CREATE VIRTUAL TABLE search USING fts5 (words, tokenize = 'trigram', columnsize = 0); BEGIN")
  const insert = database.prepare('INSERT INTO search (rowid, words) VALUES (?, ?)')
  for (const character of allCharacters) insert.run(character.codePointAt(0) ?? 0, `2${character}3`)
  const find = database.prepare('SELECT rowid FROM search WHERE search MATCH ? ORDER BY rowid')
  for (let codePoint = 0x20; codePoint <= 0x17f; codePoint += 1) {
    const asked = String.fromCodePoint(codePoint)
    const pattern = new RegExp(RegExp.escape(asked), 'iu')
    const found = find
      .all(`"2${asked === '"' ? '""' : asked}3"`)
      .map(({ rowid }) => String.fromCodePoint(Number(rowid)))
    assert(found.length > 0 && found.every((each) => pattern.test(each)), `${asked} finds ${found.join()}`)
  }
  database.close()
})

test('trigrams are taken from the agreed range alone, each once', () => {
  assert.deepEqual(safeTrigrams('ab'), [])
  assert.deepEqual(safeTrigrams('abc'), ['abc'])
  assert.deepEqual(safeTrigrams('aaaa'), ['aaa'])
  assert.deepEqual(safeTrigrams('abcΣdef'), ['abc', 'def'])
  assert.deepEqual(safeTrigrams('Σίσυφος'), [])
  assert.deepEqual(safeTrigrams('ab\ncd'), [])
})

test('what stands behind a NUL is found by no text, whichever way it is looked for', () => {
  const contains = createContains()
  assert.deepEqual([contains('sksk', 'nul\0sksk'), contains('NUL', 'nul\0sksk'), contains('sksk', 'sksk\0')], [0, 1, 1])
})
