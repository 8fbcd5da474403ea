// What is wrong with a file of views is found with its line, all at once; and what `views print` prints is right as it stands.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { columnNotes, relationNotes } from '../../../src/contract/column-notes.ts'
import { findRelation, relations } from '../../../src/contract/relations.ts'
import { viewStatements } from '../../../src/operate/views/print.ts'
import { readScript, readSelects } from '../../../src/operate/views/script.ts'

const printed = (dialect: 'sqlite' | 'postgres' | 'mysql', wanted = relations) =>
  viewStatements(dialect, wanted, 'shop')
    .map((statement) => `${statement};\n\n`)
    .join('')

suite('a file of views', () => {
  test('for MySQL, no name is in double quotes, which make texts there', () => {
    const names = printed('mysql').replaceAll(/--[^\n]*/g, '')
    assert.match(names, /AS currency,/)
    assert.doesNotMatch(names, /"/)
  })

  test('as printed, it is right', () => {
    const { views, faults } = readScript('views.sql', printed('sqlite'))
    assert.deepEqual(faults, [])
    assert.deepEqual(
      [...views.keys()],
      relations.map(({ name }) => name),
    )
  })

  const others = printed(
    'sqlite',
    relations.filter(({ name }) => name !== 'stores' && name !== 'price_lists'),
  )
  const lists = 'CREATE VIEW price_lists AS SELECT 1;'
  const scripts: readonly { name: string; text: string; body?: string; says?: RegExp }[] = [
    { name: 'lower case', text: 'create view stores as select 1', body: ' as select 1' },
    { name: 'temporary', text: 'CREATE TEMPORARY VIEW IF NOT EXISTS temp."stores" AS SELECT 1', body: ' AS SELECT 1' },
    {
      name: 'names of columns',
      text: 'CREATE VIEW stores(id, code) AS SELECT 1, 2',
      body: '(id, code) AS SELECT 1, 2',
    },
    {
      name: 'semicolons in texts, names and comments',
      text: `/* a; b */ -- c;\nCREATE VIEW stores AS SELECT ';''' AS "x;", [y;], \`z;\` -- d;\n/* e; */ FROM pos.s`,
      body: ` AS SELECT ';''' AS "x;", [y;], \`z;\` -- d;\n/* e; */ FROM pos.s`,
    },
    { name: 'a minus and a division', text: 'CREATE VIEW stores AS SELECT 3 - 2 / 1', body: ' AS SELECT 3 - 2 / 1' },
    {
      name: 'another statement',
      text: '\nDELETE FROM pos.article',
      says: /^Line 3 .*not a CREATE VIEW.*: DELETE FROM/m,
    },
    { name: 'a table', text: 'CREATE TABLE stores (id)', says: /^Line 2 .*not a CREATE VIEW/m },
    {
      name: 'a view of another file',
      text: 'CREATE VIEW pos.stores AS SELECT 1',
      says: /^Line 2 .*not a CREATE VIEW/m,
    },
    {
      name: 'a misspelt relation',
      text: 'CREATE VIEW store AS SELECT 1',
      says: /^Line 2 .*store is not a .*did you mean stores\?$/m,
    },
    {
      name: 'a relation twice',
      text: '-- again\nCREATE VIEW products AS SELECT 1',
      says: /^Line \d+ .*products is already in line 3\./m,
    },
    {
      name: 'a relation that is missing',
      text: '',
      says: /has no view stores\. .*views print --dialect sqlite stores/,
    },
  ]
  for (const { name, text, body, says } of scripts) {
    test(`${name}: ${says ? 'told' : 'read'}`, () => {
      // The one in question begins in line 2.
      const { views, faults } = readScript('views.sql', `${lists}\n${text};\n${others}`)
      if (says) assert.match(faults.join('\n'), says)
      else assert.deepEqual(faults, [])
      if (body) assert.equal(views.get('stores')?.body, body)
    })
  }

  test('without any view: said once', () => {
    assert.deepEqual(readScript('views.sql', '-- nothing;\n').faults, ['There is no view in views.sql.'])
  })
})

suite('a file of views that is copied by', () => {
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

  test('only the views that are there, however they are named', () => {
    assert.deepEqual(
      selectsIn('CREATE OR REPLACE VIEW shop."stores" AS\nSELECT 1; create temp view departments as (select 2)'),
      { stores: 'SELECT 1', departments: '(select 2)' },
    )
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
    ['DELETE FROM sale', /^Line 1 of .* is not a CREATE VIEW/],
    ['CREATE VIEW store AS SELECT 1', /did you mean stores\?$/],
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
