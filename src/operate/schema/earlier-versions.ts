// Finds what versions before 0.2 made in the POS database: tallies, search tables, and an index for every sort and filter.
// An object counts only if its definition matches, too: an index of the same name on another table belongs to the POS.
import { quote } from '../../sql/dialect.ts'

// Objects of one kind, and the statements that drop them.
export interface EarlierGroup {
  readonly what: 'triggers' | 'tables with counts' | 'search tables' | 'functions' | 'indexes'
  readonly names: readonly string[]
  readonly statements: readonly string[]
}

const documents = (filters: string, total = 'total') => `date updated_at ${total} ${filters}`
const sold = documents('status_date store_id_date customer_id_date currency_date')
const invoiced = `kind ${'date updated_at total status_date store_id_date customer_id_date paid_date currency_date'.replaceAll(/\w+/g, 'kind_$&')}`

// By relation: its indexes (RELATION_by_…), and the columns that were searched (RELATION_search_…).
const made: Readonly<Record<string, readonly [indexes: string, searched: string]>> = {
  vendors: ['name code updated_at active_name', 'name code phone email'],
  customers: [
    'name code updated_at active_name customer_type_id_name price_list_id_name',
    'name code company_name phone email',
  ],
  products: [
    'name code updated_at active_name active_code active_updated_at active kind_name department_id_name sub_department_id_name vendor_id_name',
    'name code barcode',
  ],
  invoices: [invoiced, 'number customer_name po_number'],
  invoices_archive: [invoiced, 'number customer_name po_number'],
  quotes: [sold, 'number customer_name'],
  quotes_archive: [sold, 'number customer_name'],
  sales_orders: [sold, 'number customer_name'],
  payments: [sold.replace('total', 'amount_received'), 'number customer_name'],
  purchase_orders: [documents('status_date store_id_date vendor_id_date currency_date'), 'number vendor_name'],
  receivings: [
    documents('kind_date status_date store_id_date vendor_id_date purchase_order_id_date currency_date'),
    'number vendor_name receipt_number',
  ],
  transfers: [documents('status_date from_store_id_date to_store_id_date', ''), 'number'],
  adjustments: [documents('kind_date status_date store_id_date', ''), 'number reason'],
}
const relations = Object.keys(made)
const each = (names: readonly string[], endings: string) =>
  names.flatMap((name) => endings.split(' ').map((ending) => `${name}_${ending}`))
const indexesOf = (relation: string, at: 0 | 1) =>
  (made[relation]?.[at] ?? '')
    .split(' ')
    .filter(Boolean)
    .map((columns) => `${relation}_${at === 0 ? 'by' : 'search'}_${columns}`)

// In SQLite: by name, a text that the definition contains.
const sqliteTriggers = new Set([
  ...each(relations, 'tally_inserting tally_insert tally_moving tally_update tally_delete tally_counting'),
  ...each(relations, 'search_insert search_update search_delete'),
])
const sqliteTables = new Map<string, readonly [what: 'tables with counts' | 'search tables', holds: string]>([
  ...each(relations, 'tally').map((name) => [name, ['tables with counts', 'axis TEXT']] as const),
  ...each(relations, 'tally_cells').map((name) => [name, ['tables with counts', 'cell INTEGER PRIMARY KEY']] as const),
  ...each(relations, 'tally_replaced tally_count').map((name) => [name, ['tables with counts', 'id']] as const),
  ...each(relations, 'search search_words').map((name) => [name, ['search tables', 'USING fts5 (words']] as const),
  ...each(relations, 'search_cells').map((name) => [name, ['search tables', 'cell INTEGER PRIMARY KEY']] as const),
  ...each(relations, 'search_groups search_members').map((name) => [name, ['search tables', 'grp INTEGER']] as const),
])
const sqliteIndexes = new Map(relations.flatMap((relation) => indexesOf(relation, 0).map((name) => [name, relation])))

interface SqliteObject {
  readonly type: string
  readonly name: string
  readonly sql: string
}

// Takes the rows of `sqlite_schema`. A trigger is dropped from any table: a renamed table keeps its triggers.
export function earlierInSqlite(objects: readonly SqliteObject[]): EarlierGroup[] {
  const group = (what: EarlierGroup['what'], isOne: (object: SqliteObject) => boolean): EarlierGroup => {
    const found = objects.filter(isOne)
    return {
      what,
      names: found.map(({ name }) => name),
      statements: found.map(({ type, name }) => `DROP ${type.toUpperCase()} IF EXISTS ${quote(name)}`),
    }
  }
  const isTable = (wanted: string) => (object: SqliteObject) => {
    const [what, holds = ''] = sqliteTables.get(object.name) ?? []
    return what === wanted && ['table', 'view'].includes(object.type) && object.sql.includes(holds)
  }
  const isIndex = ({ type, name, sql }: SqliteObject) =>
    type === 'index' && sql.startsWith(`CREATE INDEX "${name}" ON "${sqliteIndexes.get(name)}" (`)
  const groups = [
    group(
      'triggers',
      ({ type, name, sql }) =>
        type === 'trigger' && sqliteTriggers.has(name) && /\bBEGIN\b[^]*_(tally|search)/.test(sql),
    ),
    group('tables with counts', isTable('tables with counts')),
    group('search tables', isTable('search tables')),
    group('indexes', isIndex),
  ]
  return groups.filter(({ names }) => names.length > 0)
}

// The values of `earlierInPostgres`.
const functions = each(relations, 'tally_fold tally_count tally_forget')
const tables = each(relations, 'tally tally_changes tally_words tally_twins')
const indexNames = relations.flatMap((relation) => [...indexesOf(relation, 0), ...indexesOf(relation, 1)])
const indexRelations = relations.flatMap((relation) =>
  [...indexesOf(relation, 0), ...indexesOf(relation, 1)].map(() => relation),
)
export const earlierValues = [functions, tables, indexNames, indexRelations] as const

// Rows: what, name, the statement that drops it, in the order to run them. A table must have a column that no POS would have
// (_twins has only ids). An index must be on the relation itself and begin with NULLS FIRST and end with the id, or be of
// trigrams; leftovers of a failed REINDEX count, too. Indexes are dropped CONCURRENTLY, because tills write meanwhile.
export const earlierInPostgres = `
  WITH here AS (SELECT to_regnamespace(quote_ident(current_schema())) AS oid),
  functions AS (SELECT p.oid, p.proname FROM pg_catalog.pg_proc p, here
    WHERE p.pronamespace = here.oid AND p.proname = ANY ($1) AND p.pronargs = 0 AND p.prosrc LIKE '%\\_tally%')
  SELECT what, name, statement FROM (
    SELECT 1, 'triggers', t.tgname::text, format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass)
      FROM pg_catalog.pg_trigger t JOIN functions f ON f.oid = t.tgfoid
    UNION ALL SELECT 2, 'functions', f.proname::text, format('DROP FUNCTION %I()', f.proname) FROM functions f
    UNION ALL SELECT 3, 'tables with counts', c.relname::text, format('DROP TABLE %I', c.relname) FROM pg_catalog.pg_class c, here
      WHERE c.relnamespace = here.oid AND c.relkind = 'r' AND c.relname = ANY ($2)
        AND EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid
          AND a.attname = CASE substring(c.relname FROM '_tally(.*)$') WHEN '' THEN 'axis' WHEN '_twins' THEN 'id' ELSE 'words' END)
    UNION ALL SELECT 4, 'indexes', c.relname::text, format('DROP INDEX CONCURRENTLY %I', c.relname)
      FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_class r ON r.oid = i.indrelid, here
      WHERE c.relnamespace = here.oid AND r.relnamespace = here.oid AND NOT i.indisunique
        AND (regexp_replace(c.relname, '_cc(new|old)[0-9]*$', ''), r.relname::text) IN (SELECT * FROM unnest($3::text[], $4::text[]))
        AND pg_get_indexdef(i.indexrelid) ~ 'NULLS FIRST, id\\)$|gin_trgm_ops'
  ) AS found (place, what, name, statement) ORDER BY place, name`
