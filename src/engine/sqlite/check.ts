// Looks at a SQLite file before the service starts on it: is it there, is it a database, does it hold the relations?
import { existsSync, statSync } from 'node:fs'
import process from 'node:process'
import { fileProblem, openSqlite, readSqliteHeader, type Sqlite } from '../../sqlite.ts'
import { missingParts } from '../missing-parts.ts'

export const posDatabase = (path: string) => `The POS database ${path}`

// One sentence for each thing that is wrong; none when the file can be served.
export function checkSqliteFile(path: string): string[] {
  const found = lookIntoFile(path, (database) => missingParts(path, readColumns(database)))
  return 'problem' in found ? [found.problem] : found
}

// What somebody sees in the file, or why it cannot be looked into.
export function lookIntoFile<Found extends object>(
  path: string,
  look: (database: Sqlite) => Found,
): Found | { problem: string } {
  if (!existsSync(path)) {
    return {
      problem: `There is no POS database at ${path}. Make the demo company there with "npx vitrine demo", or name yours in VITRINE_DATABASE_URL.`,
    }
  }
  let database: Sqlite | undefined
  try {
    const problem = ownerProblem(path)
    if (problem) return { problem }
    database = openSqlite(path, { readOnly: true, lockTimeoutMs: 1000 })
    return look(database)
  } catch (error) {
    return {
      problem: fileProblem(posDatabase(path), error) ?? `${posDatabase(path)} cannot be read: ${String(error)}.`,
    }
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

export function readColumns(database: Sqlite): (relation: string) => Set<string> {
  const columnsOf = database.prepare('SELECT name FROM pragma_table_info(?)')
  return (relation) => new Set(columnsOf.all(relation).map(({ name }) => String(name)))
}
