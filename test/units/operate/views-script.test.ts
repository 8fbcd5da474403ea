// What is wrong with a file of views is found with its line, all at once; and what `views print` prints is right as it stands.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { columnNotes, relationNotes } from '../../../src/contract/column-notes.ts'
import { findRelation, relations } from '../../../src/contract/relations.ts'
import { viewStatements } from '../../../src/operate/views/print.ts'
import { readSelects } from '../../../src/operate/views/script.ts'

const printed = (dialect: 'sqlite' | 'postgres' | 'mysql', wanted = relations) =>
  viewStatements(dialect, wanted, 'shop')
    .map((statement) => `${statement};\n\n`)
    .join('')

test('for MySQL, no name is in double quotes, which make texts there', () => {
  const names = printed('mysql').replaceAll(/--[^\n]*/g, '')
  assert.match(names, /AS currency,/)
  assert.doesNotMatch(names, /"/)
})

suite('a file of views', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-views-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'views.sql')
  const selectsIn = (text: string, isMysql = false) => {
    writeFileSync(file, text)
    return Object.fromEntries(readSelects(file, isMysql))
  }

  test('as printed, with all that is around the views of PostgreSQL', () => {
    for (const dialect of ['sqlite', 'postgres'] as const) {
      const selects = selectsIn(printed(dialect))
      assert.deepEqual(
        Object.keys(selects),
        relations.map(({ name }) => name),
      )
      for (const select of Object.values(selects)) assert.match(select, /^SELECT/)
    }
  })

  const written: readonly [text: string, select: string][] = [
    ['create view stores as select 1', 'select 1'],
    ['CREATE TEMPORARY VIEW IF NOT EXISTS temp."stores" AS SELECT 1', 'SELECT 1'],
    ['CREATE OR REPLACE VIEW shop.stores AS\n(SELECT 1)', '(SELECT 1)'],
    ['CREATE VIEW stores AS SELECT 3 - 2 / 1', 'SELECT 3 - 2 / 1'],
    [
      `/* a; b */ -- c;\nCREATE VIEW stores AS SELECT ';''' AS "x;", [y;], \`z;\` -- d;\n/* e; */ FROM s`,
      `SELECT ';''' AS "x;", [y;], \`z;\` -- d;\n/* e; */ FROM s`,
    ],
  ]
  for (const [text, select] of written)
    test(`read, beside another one: ${text}`, () => {
      assert.deepEqual(selectsIn(`${text}; CREATE VIEW departments AS SELECT 2`), {
        stores: select,
        departments: 'SELECT 2',
      })
    })

  test('words in quotes and in comments are no statements', () => {
    const select = `WITH n AS (SELECT 'into' AS "update") -- insert into\n SELECT 1 AS id /* delete */ FROM n`
    assert.deepEqual(selectsIn(`CREATE VIEW stores AS ${select}`), { stores: select })
  })

  test("MySQL's backslashes and comments", () => {
    const select = String.raw`SELECT 'it\'s; \\' AS name -- three; four`
    assert.deepEqual(selectsIn(`# one; two\nCREATE VIEW \`stores\` AS ${select}\n;`, true), { stores: select })
  })

  const faults: readonly [text: string, says: RegExp][] = [
    ['\nDELETE FROM sale', /^Line 2 of .* is not a CREATE VIEW.*: DELETE FROM sale/],
    ['CREATE TABLE stores (id)', /^Line 1 of .* is not a CREATE VIEW/],
    ['CREATE VIEW store AS SELECT 1', /^Line 1 of .*: store is not a .*did you mean stores\?$/],
    [
      'CREATE VIEW stores AS SELECT 1;\n-- again\nCREATE VIEW stores AS SELECT 2; DELETE FROM sale',
      /^Line 3 of .*: the view stores is already in line 1\.\nLine 3 of .* is not a CREATE VIEW/,
    ],
    ['CREATE VIEW stores (id) AS SELECT 1', /^Line 1 of .*: after stores expected AS and a SELECT/],
    ['BEGIN; COMMIT', /^There is no view in /],
    ['CREATE VIEW stores AS SET GLOBAL max_connections = 1', /^Line 1 of .*: after stores AS only a SELECT is allowed/],
    ["CREATE VIEW stores AS SELECT 1 AS id INTO OUTFILE '/tmp/x'", /only a SELECT is allowed, without INTO/],
    ["CREATE VIEW stores AS SELECT 1 AS id /*! INTO OUTFILE '/tmp/x' */", /only a SELECT is allowed, without INTO/],
    ['CREATE VIEW stores AS WITH n AS (DELETE FROM sale RETURNING id) SELECT id FROM n', /only a SELECT is allowed/],
  ]
  for (const [text, says] of faults)
    test(`refused: ${text}`, () => {
      assert.throws(() => selectsIn(text), { message: says })
    })

  test('refused: a file that is not there', () => {
    assert.throws(() => readSelects(join(folder, 'absent.sql'), false), /^OperatorError: The views in .*|The views in/)
  })
})

test('a printed view names every column, and the codes that its resource knows', () => {
  for (const relation of relations) {
    const text = printed('postgres', [relation])
    for (const column of Object.keys(relation.columns)) assert.match(text, new RegExp(` AS "${column}"`), relation.name)
  }
  const payments = findRelation('payments')
  const codes = [...printed('sqlite', [payments]).matchAll(/WHEN '([a-z ]+)' THEN (\d+)/g)]
  assert.deepEqual(
    codes.map(([, label, code]) => [label, code]),
    [
      ['regular', '3'],
      ['void', '4'],
    ],
  )
})

test('every note about a column or a relation is of one that there is', () => {
  const columns = new Set(
    relations.flatMap(({ name, columns: all }) => Object.keys(all).flatMap((column) => [column, `${name}.${column}`])),
  )
  for (const name of Object.keys(columnNotes)) assert(columns.has(name), name)
  for (const name of Object.keys(relationNotes))
    assert(
      relations.some((each) => each.name === name),
      name,
    )
})
