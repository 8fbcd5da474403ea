// The shape of a SQLite file.
import { relations } from '../../contract/relations.ts'
import type { Relation } from '../../contract/relation.ts'
import type { Sqlite } from '../../platform/sqlite.ts'
import { findJournal } from '../schema/journal-of-sqlite.ts'
import type { ColumnShape, RelationShape, Shape } from './shape.ts'

export function sqliteShape(sqlite: Sqlite): Shape {
  const found = new Map<string, RelationShape>()
  const broken = new Map<string, string>()
  for (const relation of relations)
    try {
      const shape = relationShape(sqlite, relation)
      if (shape) found.set(relation.name, shape)
    } catch (error) {
      // A view over something that is not there any more.
      broken.set(relation.name, (error as Error).message)
    }
  return {
    relations: found,
    broken,
    journal: { ...findJournal(sqlite, ({ name }) => found.get(name)?.isTable === true), isReadable: true },
  }
}

function relationShape(sqlite: Sqlite, { name, key }: Relation): RelationShape | undefined {
  const rows = sqlite.prepare('SELECT name, type, pk, "notnull" FROM pragma_table_info(?)').all(name)
  if (rows.length === 0) return undefined
  const columns = new Map(
    rows.map(({ name, type }): [string, ColumnShape] => [
      String(name),
      { type: String(type), isReadable: true, isRight: true },
    ]),
  )
  // One name for one thing, in whatever case it was written. (Views over another file are the connection's own.)
  const table = sqlite
    .prepare(`SELECT type, wr, strict FROM pragma_table_list WHERE schema IN ('main', 'temp') AND lower(name) = ?`)
    .get(name)
  const keys = rows.filter(({ pk }) => Number(pk) > 0)
  const isOwnKey = keys.map(({ name }) => name).join() === key.join()
  // Unless it is the row's own number, a key may be empty on SQLite.
  const isFilled =
    table?.['wr'] === 1 ||
    keys.every(({ type, notnull }) => notnull === 1 || (keys.length === 1 && /^INTEGER$/i.test(String(type))))
  return {
    isTable: table?.['type'] === 'table',
    kind: String(table?.['type']),
    columns,
    isKeyed: isOwnKey && isFilled,
    isStrict: table?.['strict'] === 1,
  }
}
