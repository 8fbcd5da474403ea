// A SQLite file of ours that holds views and the path of the POS file they read. A stored view of SQLite cannot name tables of another
// file, so the file holds their texts. Each connection attaches the POS file, read-only, and makes the views as temporary ones.
import { pathToFileURL } from 'node:url'
import { openSqlite, readSqliteHeader, type Sqlite } from '../../platform/sqlite.ts'

export interface PosViews {
  // The absolute path of the POS file.
  readonly pos: string
  // By relation: the text after its name in CREATE VIEW.
  readonly bodies: ReadonlyMap<string, string>
}

// The name of the POS file in the views.
export const posSchema = 'pos'
// Marks a file as ours.
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

// The POS file: the file itself, or the file that its views read.
export function posFileOf(path: string): string {
  if (!isViewsFile(path)) return path
  const sqlite = openSqlite(path, { readOnly: true })
  try {
    return readViews(sqlite)?.pos ?? path
  } finally {
    sqlite.close()
  }
}

// A read-only connection attaches files read-only. The mode makes it explicit.
export function attachPos(sqlite: Sqlite, pos: string): void {
  sqlite.prepare(`ATTACH ? AS ${posSchema}`).run(`${pathToFileURL(pos).href}?mode=ro`)
}

// `prepare` runs one statement only, whatever the text holds. Temporary views come before tables in name resolution, so the POS may
// have tables of the same names.
export function makeView(sqlite: Sqlite, relation: string, body: string): void {
  sqlite.prepare(`CREATE TEMP VIEW "${relation}" ${body}`).run()
}
