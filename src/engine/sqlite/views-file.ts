// A SQLite file of ours that holds views and names the POS file they read. SQLite lets no stored view name another file's tables,
// so the texts are kept, and whoever opens the file attaches the other one, read-only, and makes the views for itself.
import { pathToFileURL } from 'node:url'
import { openSqlite, readSqliteHeader, type Sqlite } from '../../platform/sqlite.ts'

export interface PosViews {
  // The other file, absolute.
  readonly pos: string
  // What follows the name of the relation in CREATE VIEW.
  readonly bodies: ReadonlyMap<string, string>
}

// What the other file is called in the views.
export const posSchema = 'pos'
// Tells such a file from all others.
const applicationId = 0x56495657

export const isViewsFile = (path: string): boolean => readSqliteHeader(path)?.applicationId === applicationId

export function writeViewsFile(path: string, { pos, bodies }: PosViews): void {
  const sqlite = openSqlite(path)
  try {
    sqlite.exec(`PRAGMA application_id = ${applicationId};
      CREATE TABLE attached (pos TEXT NOT NULL) STRICT;
      CREATE TABLE views (relation TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT`)
    sqlite.prepare('INSERT INTO attached VALUES (?)').run(pos)
    const insert = sqlite.prepare('INSERT INTO views VALUES (?, ?)')
    for (const [relation, body] of bodies) insert.run(relation, body)
  } finally {
    sqlite.close()
  }
}

// Undefined for any other file.
export function readViews(sqlite: Sqlite): PosViews | undefined {
  if (sqlite.prepare('PRAGMA application_id').get()?.['application_id'] !== applicationId) return undefined
  const rows = sqlite.prepare('SELECT relation, body FROM views').all()
  return {
    pos: String(sqlite.prepare('SELECT pos FROM attached').get()?.['pos']),
    bodies: new Map(rows.map(({ relation, body }) => [String(relation), String(body)])),
  }
}

// The file that is read in the end: itself, or the one that its views read.
export function posFileOf(path: string): string {
  if (!isViewsFile(path)) return path
  const sqlite = openSqlite(path, { readOnly: true })
  try {
    return readViews(sqlite)?.pos ?? path
  } finally {
    sqlite.close()
  }
}

// A connection that only reads gives that to whatever it attaches; the mode says it once more.
export function attachPos(sqlite: Sqlite, pos: string): void {
  sqlite.prepare(`ATTACH ? AS ${posSchema}`).run(`${pathToFileURL(pos).href}?mode=ro`)
}

// One statement and no more, whatever the text holds. The views of a connection are found before all tables, so that the POS
// may have tables of the same names.
export function makeView(sqlite: Sqlite, relation: string, body: string): void {
  sqlite.prepare(`CREATE TEMP VIEW "${relation}" ${body}`).run()
}
