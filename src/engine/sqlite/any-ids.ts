// Tables of a POS in SQLite may take any value as an id: a text, a fraction, none. Rows with such an id are no records, and must not fail
// the lists and the feed of the others.
import type { Relation } from '../../contract/relation.ts'
import { quote } from '../../sql/dialect.ts'
import { isWhole } from '../../sql/journal-sqlite.ts'
import type { Sqlite } from '../../platform/sqlite.ts'

// SQLite itself keeps an id whole if it is the number of the row, or if the table is strict.
const anyIdsQuery = `SELECT lower(t.name) AS name FROM pragma_table_list t JOIN pragma_table_info(t.name) c
  WHERE t.schema = 'main' AND t.type = 'table' AND lower(c.name) = 'id' AND NOT (upper(c.type) IN ('INT', 'INTEGER') AND t.strict AND (c."notnull" OR c.pk)
    OR upper(c.type) = 'INTEGER' AND c.pk AND NOT t.wr AND (SELECT max(pk) FROM pragma_table_info(t.name)) = 1)`

// → the condition for the rows of a relation that are records; empty if all are. Lines and payments are found by their documents.
export function recordsAmong(sqlite: Sqlite): (relation: Relation) => string {
  const names = new Set(
    sqlite
      .prepare(anyIdsQuery)
      .all()
      .map(({ name }) => name),
  )
  return ({ name, parent }) => (parent === undefined && names.has(name) ? isWhole(quote('id')) : '')
}
