// Looks at a SQLite file before the service starts on it: is it there, is it a database, does it hold the relations?
import { existsSync, statSync } from 'node:fs'
import process from 'node:process'
import { relations } from '../../contract/relations.ts'
import { openSqlite, readSqliteHeader, type Sqlite } from '../../sqlite.ts'

// One sentence for each thing that is wrong; none when the file can be served.
export function checkSqliteFile(path: string): string[] {
  if (!existsSync(path)) {
    return [
      `There is no POS database at ${path}. Make the demo company there with "npx vitrine demo", or name yours in VITRINE_DATABASE_URL.`,
    ]
  }
  const owner = ownerProblem(path)
  if (owner) return [owner]
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

// In WAL mode even a reader puts files beside the database, and they belong to whoever made them: under another user they
// would lock the tills out. (SQLite gives them to the owner of the database when it runs as root.)
function ownerProblem(path: string): string | undefined {
  const user = process.geteuid?.() ?? 0
  const { uid, mode } = statSync(path)
  const isShared = (mode & 0o060) === 0o060
  if (user === 0 || user === uid || isShared || existsSync(`${path}-shm`) || !readSqliteHeader(path)?.isWal)
    return undefined
  return (
    `The POS database ${path} belongs to another user. Run Vitrine as that user, or in a group that both are in and that ` +
    'may write the file: the files SQLite keeps beside it would otherwise lock the tills out.'
  )
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
