// Is there an index for every sort and filter? What is missing is offered as the statement that makes it. Of a view, nobody can tell
// from outside: the indexes belong to the tables that it reads.
import { relations } from '../../contract/relations.ts'
import type { Relation } from '../../contract/relation.ts'
import { indexName, searchIndexName } from '../../sql/shared-terms.ts'
import { makeExtension } from '../../sql/postgres-schema.ts'
import type { Finding } from './finding.ts'
import type { Inquiry, Question } from './question.ts'
import { pasted, schemaOf } from './schema-of.ts'
import { isTable } from './shape.ts'

// An index that is there.
interface Index {
  readonly name: string
  readonly relation: string
  readonly firstColumn: string | null
  readonly isValid: boolean
}

const sqliteIndexes = `
  SELECT i.name, lower(s.name), (SELECT x.name FROM pragma_index_info(i.name) x WHERE x.seqno = 0), true
  FROM sqlite_schema s JOIN pragma_index_list(s.name) i WHERE s.type = 'table' AND NOT i.partial`
// Unique ones, and those that somebody else made, may serve as well.
const postgresIndexes = `
  SELECT c.relname::text, r.relname::text, a.attname::text, i.indisvalid AND i.indisready
  FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
    JOIN pg_catalog.pg_class r ON r.oid = i.indrelid
    LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] AND a.attnum > 0
  WHERE r.relnamespace = to_regnamespace(quote_ident(current_schema())) AND i.indpred IS NULL`

// Where the operators of search indexes are.
const trigramSchema = `SELECT n.nspname::text FROM pg_catalog.pg_extension e
  JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm'`

export const indexQuestions = (inquiry: Inquiry): Question[] => [
  {
    name: 'the indexes',
    needs: {},
    decides: false,
    isLong: false,
    async ask(source) {
      const text = inquiry.url.kind === 'sqlite' ? sqliteIndexes : postgresIndexes
      const found = (await source.rows({ text, values: [] })).map(([name, relation, firstColumn, isValid]): Index => ({
        name: String(name),
        relation: String(relation),
        firstColumn: typeof firstColumn === 'string' ? firstColumn : null,
        isValid: Boolean(isValid),
      }))
      const trigrams = inquiry.url.kind === 'sqlite' ? [] : await source.rows({ text: trigramSchema, values: [] })
      const trigramSchemas = trigrams.map(([schema]) => String(schema))
      const tables = relations.filter(({ name }) => isTable(inquiry.shape, name))
      const others = relations.filter(
        (relation) =>
          inquiry.shape.relations.has(relation.name) && !tables.includes(relation) && relation.indexes.length > 0,
      )
      return [
        ...tables.flatMap((relation) => missingIndexes(inquiry, relation, found, trigramSchemas)),
        ...(others.length > 0 ? [unknown(others)] : []),
      ]
    },
  },
]

// By its name, as `schema apply` knows them; for the parts of a record, any index that begins with the record will do.
function missingIndexes(
  inquiry: Inquiry,
  relation: Relation,
  found: readonly Index[],
  trigramSchemas: readonly string[],
): Finding[] {
  const ready = (statements: readonly string[]) => pasted(inquiry, statements, trigramSchemas)
  const own = found.filter((index) => index.relation === relation.name)
  const wanted = wantedIndexes(inquiry, relation)
  const isThere = ({ name }: Wanted) =>
    own.some(
      (index) => index.isValid && (index.name === name || (relation.parent && index.firstColumn === relation.parent)),
    )
  const broken = wanted.filter(({ name }) => own.some((index) => index.name === name && !index.isValid))
  const missing = wanted.filter((index) => !isThere(index) && !broken.includes(index))
  const findings: Finding[] = []
  if (broken.length > 0)
    findings.push({
      code: 'index_broken',
      relation: relation.name,
      count: broken.length,
      message: 'Indexes were begun and never finished: writers keep them, and no reader uses them.',
      remedy: '"vitrine schema apply" makes them anew, or:',
      statements: ready(broken.flatMap(({ name, statement }) => [`DROP INDEX CONCURRENTLY "${name}"`, statement])),
    })
  if (missing.length > 0)
    findings.push({
      code: 'index_missing',
      relation: relation.name,
      count: missing.length,
      message: 'Indexes are missing: the larger the relation, the slower its lists.',
      remedy: '"vitrine schema apply" makes all that are missing while tills write, or:',
      statements: ready([
        ...(missing.some(({ isSearch }) => isSearch) ? [makeExtension] : []),
        ...missing.map(({ statement }) => statement),
      ]),
    })
  return findings
}

interface Wanted {
  readonly name: string
  readonly statement: string
  readonly isSearch: boolean
}

const pair = (names: readonly string[], statements: readonly string[], isSearch: boolean): Wanted[] =>
  names.map((name, at) => ({ name, statement: statements[at] ?? '', isSearch }))

// (SQLite's search indexes are tables, of which derived.ts tells.)
function wantedIndexes(inquiry: Inquiry, relation: Relation): Wanted[] {
  const schema = schemaOf(inquiry)
  const search = inquiry.url.kind === 'postgres' ? relation.search : []
  return [
    ...pair(
      relation.indexes.map((terms) => indexName(relation, terms)),
      schema.indexes(relation),
      false,
    ),
    ...pair(
      search.map((column) => searchIndexName(relation, column)),
      search.length > 0 ? schema.searchIndex(relation) : [],
      true,
    ),
  ]
}

const unknown = (others: readonly Relation[]): Finding => ({
  code: 'index_unknown',
  count: others.length,
  message: `Views, foreign or partitioned tables: nobody can see from here whether what is read there is indexed. These are ${others.map(({ name }) => name).join(', ')}.`,
  remedy:
    'See how long the requests below take. Where one is slow, index what the view reads by the columns that "vitrine schema print" indexes; where that cannot be, fill a table by night, or a materialized view.',
})
