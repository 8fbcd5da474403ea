// Looks at a SQLite file before the service starts on it: is it there, is it a database, does it hold the relations?
import { existsSync } from 'node:fs'
import { relations } from '../../contract/relations.ts'
import { openSqlite, type Sqlite } from '../../sqlite.ts'

// One sentence for each thing that is wrong; none when the file can be served.
export function checkSqliteFile(path: string): string[] {
  if (!existsSync(path)) {
    return [
      `There is no POS database at ${path}. Make the demo company there with "npx vitrine demo", or name yours in VITRINE_DATABASE_URL.`,
    ]
  }
  let database: Sqlite | undefined
  try {
    database = openSqlite(path, { readOnly: true, lockTimeoutMs: 1000 })
    return missingParts(path, database)
  } catch (error) {
    return [`The POS database ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`]
  } finally {
    database?.close()
  }
}

function missingParts(path: string, database: Sqlite): string[] {
  const columnsOf = database.prepare('SELECT name FROM pragma_table_info(?)')
  const missing = relations.flatMap((relation) => {
    const columns = new Set(columnsOf.all(relation.name).map(({ name }) => name))
    if (columns.size === 0) return [{ relation: relation.name, lacks: [] }]
    const lacks = Object.keys(relation.columns).filter((column) => !columns.has(column))
    return lacks.length > 0 ? [{ relation: relation.name, lacks }] : []
  })
  const absent = missing.filter(({ lacks }) => lacks.length === 0).map(({ relation }) => relation)
  if (absent.length === relations.length)
    return [`${path} is not a POS database: it has none of the relations of the source contract.`]
  return [
    ...(absent.length > 0
      ? [`The POS database ${path} lacks the relations ${absent.join(', ')}; see "npx vitrine schema print".`]
      : []),
    ...missing
      .filter(({ lacks }) => lacks.length > 0)
      .map(({ relation, lacks }) => `In the POS database ${path}, ${relation} lacks the columns ${lacks.join(', ')}.`),
  ]
}
