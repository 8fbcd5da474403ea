// The name of an index is one for the whole SQLite file: a table that was renamed takes the indexes of the relation along, and none of
// that name could be made for the table which took its place. Ours are dropped there; what somebody else made is told of.
import type { Relation } from '../../contract/relation.ts'
import { quote } from '../../sql/dialect.ts'
import { indexName } from '../../sql/shared-terms.ts'
import { sqliteSchema } from '../../sql/sqlite-schema.ts'
import type { Sqlite } from '../../sqlite.ts'

export function dropMisplaced(database: Sqlite, relations: readonly Relation[], remark: (text: string) => void): void {
  const find = database.prepare("SELECT tbl_name, sql FROM sqlite_schema WHERE type = 'index' AND name = ?")
  for (const relation of relations) {
    const statements = sqliteSchema.indexes(relation)
    relation.indexes.forEach((terms, at) => {
      const name = indexName(relation, terms)
      const found = find.get(name)
      const table = String(found?.['tbl_name'] ?? relation.name)
      if (table.toLowerCase() === relation.name) return
      const ours = statements[at]
        ?.replace('IF NOT EXISTS ', '')
        .replace(`ON ${quote(relation.name)} `, `ON ${quote(table)} `)
      if (found?.['sql'] === ours) database.exec(`DROP INDEX ${quote(name)}`)
      else remark(`The index ${name} is one of ${table}: ${relation.name} goes without. Drop it, and run this again.`)
    })
  }
}
