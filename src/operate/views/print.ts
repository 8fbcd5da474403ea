// A starting point for whoever connects a POS: a view for each relation, with every column, what it means and its codes. It runs as
// it stands; each view is then empty, which is also what a relation gets that the POS does not have.
import type { ColumnType, Relation } from '../../contract/relation.ts'
import { columnType } from '../../contract/relations.ts'
import { quoteName } from '../../platform/postgres/names.ts'
import { quote } from '../../sql/dialect.ts'
import { postgresTypes } from '../../sql/postgres-schema.ts'
import { sqliteTypes } from '../../sql/sqlite-schema.ts'
import { codesOf, columnNote, relationNote } from './columns.ts'

type ViewsDialect = 'sqlite' | 'postgres'

interface Writing {
  readonly types: Readonly<Record<ColumnType, string>>
  readonly advice: readonly string[]
  // Statements before and after the views.
  before(schema: string, wanted: readonly Relation[]): string[]
  after(schema: string): string[]
  create(name: string): string
  // What a column's type does not say.
  readonly hints: Partial<Record<ColumnType, string>>
}

const howTo = [
  'As it stands every view is empty. Of each that your POS can fill:',
  '  put your columns in place of NULL, and your codes in place of the words in quotes;',
  '  put FROM your_table in place of the last line.',
  'Leave the others empty. Keep the names, the order does not matter. docs/connect-your-pos.md has an example.',
  '',
  'A column that has the type already needs no CAST; an index on it is then of use to the view, too.',
  'A status of hold is a draft, listed only when it is asked for; void is a document that was cancelled. Leave the amounts of void',
  'documents as they are: the service shows zeros.',
  'A code that you do not name becomes -1: it is shown as null, and the log tells of it (unknown_code).',
]

const writings: Readonly<Record<ViewsDialect, Writing>> = {
  postgres: {
    types: postgresTypes,
    advice: [
      'Views for Vitrine over a POS in PostgreSQL, or reachable from it. Run it with',
      '  psql --set ON_ERROR_STOP=1 --file THIS_FILE DATABASE',
      '',
      ...howTo,
      '',
      'Amounts in cents:            total_cents * 0.01                       (exact; a division may round)',
      "Times as text, 0000-00-00:   CASE WHEN sold > '0001' THEN CAST(sold AS timestamp) END",
      "Times with a zone:           sold AT TIME ZONE 'America/Port-au-Prince'",
      "Letters for yes and no:      paid = 'Y'",
    ],
    before: (schema, wanted) => [
      'BEGIN',
      `CREATE SCHEMA IF NOT EXISTS ${quoteName(schema)}`,
      `SET LOCAL search_path TO ${quoteName(schema)}`,
      `-- All at once, so that this can be run again after a change: one may read another.\nDROP VIEW IF EXISTS ${wanted.map(({ name }) => quote(name)).join(', ')}`,
    ],
    after: (schema) => [grants(schema), 'COMMIT'],
    create: (name) => `CREATE VIEW ${quote(name)} AS`,
    hints: {},
  },
  sqlite: {
    types: sqliteTypes,
    advice: [
      'Views for Vitrine over a POS in a SQLite file. Your tables are in pos: FROM pos.your_table. Put them to use with',
      '  npx vitrine views apply THIS_FILE --pos YOUR_POS.db',
      '',
      ...howTo,
      '',
      'Amounts in cents:            total_cents / 100.0',
      'Times:                       as text; 0000-00-00 and an empty text are read as no time',
      "Times as seconds of 1970:    datetime(sold, 'unixepoch', '-05:00')         (the hours of VITRINE_TIME_ZONE; never 'localtime',",
      '                             which is the zone of whichever process reads)',
      "Letters for yes and no:      paid = 'Y'",
    ],
    before: () => [],
    after: () => [],
    create: (name) => `CREATE TEMP VIEW ${quote(name)} AS`,
    hints: { bool: '1 or 0.', day: 'YYYY-MM-DD.', time: 'YYYY-MM-DD HH:MM:SS.' },
  },
}

const readerRole = 'vitrine_reader'

// A view that is made anew has lost its rights. As it stands the file must run, with or without the role.
const grants = (
  schema: string,
) => `-- The role that the service signs in with may read the views, and nothing else. Put its name here if it has another.
DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = '${readerRole}') THEN
    GRANT USAGE ON SCHEMA ${quoteName(schema)} TO ${readerRole};
    GRANT SELECT ON ALL TABLES IN SCHEMA ${quoteName(schema)} TO ${readerRole};
  END IF;
END $$`

// Statements without their semicolons, with comments.
export function viewStatements(dialect: ViewsDialect, wanted: readonly Relation[], schema: string): string[] {
  const writing = writings[dialect]
  const views = wanted.map((relation) => viewOf(writing, relation))
  const [first = '', ...others] = [...writing.before(schema, wanted), ...views, ...writing.after(schema)]
  const advice = writing.advice.map((line) => `-- ${line}`.trimEnd()).join('\n')
  return [`${advice}\n\n${first}`, ...others]
}

function viewOf(writing: Writing, relation: Relation): string {
  const names = Object.keys(relation.columns)
  const lines = names.map((name, at) => columnOf(writing, relation, name, at === names.length - 1))
  return [`-- ${relationNote(relation)}`, writing.create(relation.name), 'SELECT', ...lines, 'WHERE false'].join('\n')
}

function columnOf({ types, hints }: Writing, relation: Relation, name: string, isLast: boolean): string {
  const type = columnType(relation, name)
  const codes = codesOf(relation, name)
  const note = [columnNote(relation, name), hints[type]].filter(Boolean).join(' ')
  const comment = note === '' ? '' : ` -- ${note}`
  const end = `AS ${quote(name)}${isLast ? '' : ','}${comment}`
  if (!codes) return `  CAST(NULL AS ${types[type]}) ${end}`
  const cases = codes.map(({ code, label }) => `    WHEN '${label}' THEN ${code}`)
  return [`  CASE CAST(NULL AS ${types.text})`, ...cases, `    ELSE -1 END ${end}`].join('\n')
}
