// Opens the POS data to read: the file itself, or a file of ours whose views read another. Either way the connection cannot
// write.
import {
  hasLog,
  isSameFile,
  openSqlite,
  openStamped,
  stampOf,
  type FileStamp,
  type Sqlite,
  type SqliteStatement,
} from '../../sqlite.ts'
import { attachPos, makeView, posSchema, readViews } from './views-file.ts'

interface PosFile {
  readonly sqlite: Sqlite
  // Of the tables that are read: changes with any write, or with any change of the schema, by somebody else.
  readonly dataVersion: SqliteStatement
  readonly schemaVersion: SqliteStatement
  // The file that the path led to.
  readonly file: string
  // Whether the paths still lead to the files that were opened.
  readonly isCurrent: () => boolean
}

interface Opened {
  readonly path: string
  readonly stamp: FileStamp
  readonly isWal: boolean
}

export function openPos(path: string, lockTimeoutMs: number): PosFile {
  const { opened: sqlite, stamp: ours } = openStamped(path, () => openSqlite(path, { readOnly: true, lockTimeoutMs }))
  try {
    const views = readViews(sqlite)
    const schema = views ? posSchema : 'main'
    const opened: Opened[] = [{ path, stamp: ours, isWal: hasLog(sqlite) }]
    if (views) {
      const { stamp } = openStamped(views.pos, () => {
        attachPos(sqlite, views.pos)
        return { close: () => sqlite.exec(`DETACH ${posSchema}`) }
      })
      for (const [relation, body] of views.bodies) makeView(sqlite, relation, body)
      opened.push({ path: views.pos, stamp, isWal: hasLog(sqlite, posSchema) })
    }
    sqlite.exec(`PRAGMA ${schema}.cache_size = -8000`)
    return {
      sqlite,
      dataVersion: sqlite.prepare(`PRAGMA ${schema}.data_version`),
      schemaVersion: sqlite.prepare(`PRAGMA ${schema}.schema_version`),
      file: ours.file,
      isCurrent: () => opened.every((each) => isSameFile(each.stamp, stampOf(each.path), each.isWal)),
    }
  } catch (error) {
    sqlite.close()
    throw error
  }
}
