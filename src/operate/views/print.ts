// The template of views for a POS that has its own tables: a view for each relation, with the meaning and the codes of every
// column. Unchanged, it runs and makes empty views.
import type { ColumnType, Relation } from '../../contract/relation.ts'
import { columnType, relations } from '../../contract/relations.ts'
import { quoteName } from '../../platform/postgres/names.ts'
import { quote } from '../../sql/dialect.ts'
import { postgresTypes } from '../../sql/postgres-schema.ts'
import { sqliteTypes } from '../../sql/sqlite-schema.ts'
import { isArray, itemRelation, type ScalarField } from '../../catalogue/field.ts'
import type { Resource } from '../../catalogue/resource.ts'
import { resources } from '../../catalogue/resources/index.ts'
import type { Codes } from '../../contract/codes.ts'
import { columnNotes, relationNotes } from '../../contract/column-notes.ts'
import { fieldMeaning } from '../../catalogue/meanings.ts'

type ViewsDialect = 'sqlite' | 'postgres' | 'mysql'

interface ViewsTemplate {
  readonly types: Readonly<Record<ColumnType, string>>
  readonly advice: readonly string[]
  // Statements before and after the views.
  before?(schema: string, wanted: readonly Relation[]): string[]
  after?(schema: string): string[]
  create(name: string): string
  // A name of a column.
  readonly quote: (name: string) => string
  // The end of an empty view.
  readonly none: string
  // Notes on values of a type.
  readonly hints?: Partial<Record<ColumnType, string>>
}

const howTo = [
  'Every view is empty at first. For each view that your POS can fill:',
  '  replace NULL by your columns, and the words in quotes by your codes;',
  '  replace the last line by FROM your_table.',
  'Leave the others empty. Keep the names; their order does not matter. docs/connect-your-pos.md has an example.',
  '',
  'A column that already has the type needs no CAST, and the view can then use an index on it.',
  'The status hold is a draft, listed only on request; void is a cancelled document. Keep the amounts of void documents: the',
  'service shows zeros.',
  'A code that you do not name becomes -1: it is shown as null and logged (unknown_code).',
]

const inCopy =
  'In a copy, an id may be a text (without CAST), and updated_at may be left out: it gets numbers and times. docs/copy.md says more.'

const mysqlTypes = {
  int: 'SIGNED',
  num: 'DECIMAL(18, 6)',
  text: 'CHAR',
  bool: 'SIGNED',
  time: 'DATETIME',
  day: 'DATE',
}

const templates: Readonly<Record<ViewsDialect, ViewsTemplate>> = {
  postgres: {
    types: postgresTypes,
    advice: [
      'Views for Vitrine over a POS in PostgreSQL, or reachable from it. For a copy, only their SELECTs are run:',
      '  npx vitrine copy --from postgres://USER:PASSWORD@HOST/DATABASE --views THIS_FILE',
      'To read your tables in place, make the views:',
      '  psql --set ON_ERROR_STOP=1 --file THIS_FILE DATABASE',
      '',
      ...howTo,
      '',
      inCopy,
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
      `-- Drops all views, so that this file can be run again after a change.\nDROP VIEW IF EXISTS ${wanted.map(({ name }) => quote(name)).join(', ')}`,
    ],
    after: (schema) => [grants(schema), 'COMMIT'],
    create: (name) => `CREATE VIEW ${quote(name)} AS`,
    quote,
    none: 'WHERE false',
  },
  mysql: {
    types: mysqlTypes,
    advice: [
      'Views for Vitrine over a POS in MySQL or MariaDB. Their SELECTs are run, and nothing is created:',
      '  npx vitrine copy --from mysql://USER:PASSWORD@HOST/DATABASE --views THIS_FILE',
      '',
      ...howTo,
      '',
      inCopy,
      '',
      'Amounts in cents:            total_cents / 100',
      'A computed amount:           ROUND(CAST(SUM(quantity * price) AS decimal(20, 6)), 2)  (ROUND of a double may take the lower cent)',
      "A line without its own key:  CONCAT(ticket, '-', line)",
      'Times:                       DATETIME and TIMESTAMP as they are; zero dates are read as no time',
      'Times as seconds of 1970:    FROM_UNIXTIME(sold)',
      "Letters for yes and no:      paid = 'Y'",
    ],
    create: (name) => `CREATE VIEW ${name} AS`,
    // In MySQL, double quotes make texts.
    quote: (name) => name,
    none: 'FROM dual WHERE false',
    hints: { bool: '1 or 0.' },
  },
  sqlite: {
    types: sqliteTypes,
    advice: [
      'Views for Vitrine over a POS in a SQLite file. Their SELECTs are run, and nothing is created:',
      '  npx vitrine copy --from sqlite:YOUR_POS.db --views THIS_FILE',
      '',
      ...howTo,
      '',
      inCopy,
      '',
      'Amounts in cents:            total_cents / 100.0',
      'Times:                       as text; 0000-00-00 and an empty text are read as no time',
      "Times as seconds of 1970:    datetime(sold, 'unixepoch', '-05:00')         (the hours of VITRINE_TIME_ZONE; never 'localtime',",
      '                             which is the zone of whichever process reads)',
      "Letters for yes and no:      paid = 'Y'",
    ],
    create: (name) => `CREATE VIEW ${quote(name)} AS`,
    quote,
    none: 'WHERE false',
    hints: { bool: '1 or 0.', day: 'YYYY-MM-DD.', time: 'YYYY-MM-DD HH:MM:SS.' },
  },
}

const readerRole = 'vitrine_reader'

// A new view has no grants. The file must run with and without the role.
const grants = (
  schema: string,
) => `-- The role of the service may read the views, and nothing else. Change its name here if yours differs.
DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = '${readerRole}') THEN
    GRANT USAGE ON SCHEMA ${quoteName(schema)} TO ${readerRole};
    GRANT SELECT ON ALL TABLES IN SCHEMA ${quoteName(schema)} TO ${readerRole};
  END IF;
END $$`

// Statements with comments, without semicolons.
export function viewStatements(dialect: ViewsDialect, wanted: readonly Relation[], schema: string): string[] {
  const template = templates[dialect]
  const views = wanted.map((relation) => viewOf(template, relation))
  const [before = [], after = []] = [template.before?.(schema, wanted), template.after?.(schema)]
  const [first = '', ...others] = [...before, ...views, ...after]
  const advice = template.advice.map((line) => `-- ${line}`.trimEnd()).join('\n')
  return [`${advice}\n\n${first}`, ...others]
}

function viewOf(template: ViewsTemplate, relation: Relation): string {
  const names = Object.keys(relation.columns)
  const lines = names.map((name, at) => columnOf(template, relation, name, at === names.length - 1))
  return [`-- ${relationNote(relation)}`, template.create(relation.name), 'SELECT', ...lines, template.none].join('\n')
}

function columnOf(template: ViewsTemplate, relation: Relation, name: string, isLast: boolean): string {
  const { types, hints = {} } = template
  const type = columnType(relation, name)
  const codes = codesOf(relation, name)
  const note = [columnNote(relation, name), hints[type]].filter(Boolean).join(' ')
  const comment = note === '' ? '' : ` -- ${note}`
  const end = `AS ${template.quote(name)}${isLast ? '' : ','}${comment}`
  if (!codes) return `  CAST(NULL AS ${types[type]}) ${end}`
  const cases = codes.map(({ code, label }) => `    WHEN '${label}' THEN ${code}`)
  return [`  CASE CAST(NULL AS ${types.text})`, ...cases, `    ELSE -1 END ${end}`].join('\n')
}

// A use of a relation in the API: a resource, or an array of its records.
interface RelationUse {
  readonly resource: Resource
  readonly array: string | undefined
  readonly summary: string
  readonly fields: readonly ScalarField[]
}

const usesOf = (base: string): RelationUse[] =>
  resources.flatMap((resource) => {
    const { name, relation, en, fields } = resource
    const own = { resource, array: undefined, summary: en.says, fields: fields.filter((field) => !isArray(field)) }
    const arrays = fields.filter(isArray).filter((field) => itemRelation(field) === base)
    return [
      ...(relation === base ? [own] : []),
      ...arrays.map((field) => ({
        resource,
        array: field.name,
        summary: `The ${field.name} of ${name}.`,
        fields: field.fields,
      })),
    ]
  })

const archive = /_archive$/

function relationNote({ name }: Relation): string {
  const base = name.replace(archive, '')
  if (base !== name) return `Older records of ${base}, with the same columns. Empty if the POS has no archive.`
  return relationNotes[name] ?? usesOf(name)[0]?.summary ?? ''
}

// The codes that the resources of the relation use.
function codesOf({ name, codes }: Relation, column: string): Codes | undefined {
  const fields = usesOf(name.replace(archive, '')).flatMap((use) => use.fields)
  const label = fields.find((field) => field.kind === 'label' && field.column === column)
  return codes[column] && (label?.kind === 'label' ? label.labels : codes[column])
}

function columnNote({ name }: Relation, column: string): string {
  const base = name.replace(archive, '')
  const own = columnNotes[`${base}.${column}`] ?? columnNotes[column]
  if (own !== undefined) return own
  for (const { resource, array, fields } of usesOf(base)) {
    const field = fields.find((each) => each.kind !== 'reference' && each.column === column)
    if (field) return fieldMeaning(resource, field.name, array)
  }
  return pointsAt(column)
}

// `store_id` is an id of stores.
function pointsAt(column: string): string {
  const target = relations.find(({ name }) => `${name.replace(/s$/, '')}_id` === column)
  return target ? `An id of ${target.name}.` : ''
}
