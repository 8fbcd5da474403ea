// Checks a SQLite file before the service starts: it must exist, be a database and have the relations.
import { existsSync, statSync } from 'node:fs'
import process from 'node:process'
import { fileProblem, openSqlite, readSqliteHeader, type Sqlite } from '../../platform/sqlite.ts'
import { absentColumns, missingParts, type ColumnsOf, type Inspection } from '../missing-parts.ts'

export const posDatabase = (path: string) => `The POS database ${path}`

// One sentence for each problem; none if the file can be served.
export const checkSqliteFile = (path: string): string[] => inspectSqliteFile(path).problems

export function inspectSqliteFile(path: string): Inspection {
  const found = lookIntoFile(path, (database): Inspection => {
    const columnsOf = readColumns(database)
    const problems = missingParts(path, columnsOf)
    return { problems, lacking: problems.length > 0 ? [] : absentColumns(columnsOf, 'not required') }
  })
  return 'problem' in found ? { problems: [found.problem], lacking: [] } : found
}

// The result of `look`, or why the file cannot be opened.
export function lookIntoFile<Result extends object>(
  path: string,
  look: (database: Sqlite) => Result,
): Result | { problem: string } {
  if (!existsSync(path))
    return {
      problem: `There is no POS database at ${path}. Make the demo company there with "npx vitrine demo", or name yours in VITRINE_DATABASE_URL.`,
    }
  let database: Sqlite | undefined
  try {
    const problem = useProblem(path)
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

// Why a path must not be opened. Of a folder, SQLite would report a disk error. And in WAL mode even a reader creates files beside the
// database: owned by another user, they would lock the tills out. (As root, SQLite gives them to the owner of the database.)
function useProblem(path: string): string | undefined {
  const user = process.geteuid?.() ?? 0
  const found = statSync(path)
  if (found.isDirectory()) return `${posDatabase(path)} is a folder. Name the file in it.`
  const { uid, mode } = found
  const isShared = (mode & 0o060) === 0o060
  if (user === 0 || user === uid || isShared || existsSync(`${path}-shm`) || !readSqliteHeader(path)?.isWal)
    return undefined
  return (
    `The POS database ${path} belongs to another user. Run Vitrine as that user, or in a group that both are in and that ` +
    'may write the file: the files SQLite keeps beside it would otherwise lock the tills out.'
  )
}

// SQLite ignores the case of names. Generated columns count, hidden ones of virtual tables do not.
export function readColumns(database: Sqlite): ColumnsOf {
  const columnsOf = database.prepare('SELECT lower(name) AS name FROM pragma_table_xinfo(?) WHERE hidden <> 1')
  return (relation) => new Set(columnsOf.all(relation).map(({ name }) => String(name)))
}
