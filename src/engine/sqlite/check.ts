// Looks at a SQLite file before the service starts on it: is it there, is it a database, does it hold the relations? Of a file of
// ours that holds views: the same of the file that they read, and whether they can be read.
import { existsSync, statSync } from 'node:fs'
import process from 'node:process'
import { findRelation } from '../../contract/relations.ts'
import { fileProblem, openSqlite, readSqliteHeader, type Sqlite } from '../../platform/sqlite.ts'
import { missingParts } from '../missing-parts.ts'
import { attachPos, makeView, readViews, type PosViews } from './views-file.ts'

export const posDatabase = (path: string) => `The POS database ${path}`

// One sentence for each thing that is wrong; none when the file can be served.
export function checkSqliteFile(path: string): string[] {
  const found = lookIntoFile(path, (database) => {
    const views = readViews(database)
    return views ? checkViews(database, path, views) : missingParts(path, readColumns(database))
  })
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

// `where` is the file with the views; `lacking` looks at what they give.
export function checkViews(
  database: Sqlite,
  where: string,
  { pos, bodies }: PosViews,
  lacking: typeof missingParts = missingParts,
): string[] {
  try {
    if (!existsSync(pos)) return [`There is no POS database at ${pos}, which the views in ${where} read.`]
    const problem = useProblem(pos)
    if (problem) return [problem]
    attachPos(database, pos)
  } catch (error) {
    return [fileProblem(posDatabase(pos), error) ?? `${posDatabase(pos)} cannot be read: ${String(error)}.`]
  }
  const found = new Map<string, Set<string>>()
  const faults: string[] = []
  const tell = (relation: string, look: () => void) => {
    try {
      look()
    } catch (error) {
      // What is wrong with it is said; that it therefore lacks its columns is not.
      found.set(relation, new Set(Object.keys(findRelation(relation).columns)))
      faults.push(`The view ${relation} in ${where} cannot be read: ${(error as Error).message}.`)
    }
  }
  for (const [relation, body] of bodies) tell(relation, () => makeView(database, relation, body))
  // One may read another that comes after it.
  const columnsOf = readColumns(database)
  for (const relation of bodies.keys())
    if (!found.has(relation)) tell(relation, () => found.set(relation, columnsOf(relation)))
  return [...faults, ...lacking(where, (relation) => found.get(relation) ?? new Set())]
}

// Why a path is not to be opened: SQLite would tell of a folder that its disk is at fault. And in WAL mode even a reader puts files
// beside the database, and they belong to whoever made them: under another user they would lock the tills out. (SQLite gives them
// to the owner of the database when it runs as root.)
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

export function readColumns(database: Sqlite): (relation: string) => Set<string> {
  const columnsOf = database.prepare('SELECT name FROM pragma_table_info(?)')
  return (relation) => new Set(columnsOf.all(relation).map(({ name }) => String(name)))
}
