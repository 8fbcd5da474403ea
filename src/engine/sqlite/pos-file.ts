// Opens the POS file read-only: the file itself, or a file of ours whose views read another one.
import { hasLog, isSameFile, noticeCopies, openSqlite, openStamped, stampOf } from '../../platform/sqlite.ts'
import type { FileStamp } from '../../platform/sqlite.ts'
import { attachPos, makeView, posSchema, readViews } from './views-file.ts'

interface OpenFile {
  readonly path: string
  readonly stamp: FileStamp
  readonly isWal: boolean
}

export function openPos(path: string, lockTimeoutMs: number) {
  const { opened: sqlite, stamp: ours } = openStamped(path, () => openSqlite(path, { readOnly: true, lockTimeoutMs }))
  try {
    const views = readViews(sqlite)
    const schema = views ? posSchema : 'main'
    let read: OpenFile = { path, stamp: ours, isWal: hasLog(sqlite) }
    const opened = [read]
    if (views) {
      const { stamp } = openStamped(views.pos, () => {
        attachPos(sqlite, views.pos)
        return { close: () => sqlite.exec(`DETACH ${posSchema}`) }
      })
      for (const [relation, body] of views.bodies) makeView(sqlite, relation, body)
      opened.push((read = { path: views.pos, stamp, isWal: hasLog(sqlite, posSchema) }))
    }
    sqlite.exec(`PRAGMA ${schema}.cache_size = -8000`)
    const isCopy = noticeCopies()
    return {
      sqlite,
      // Where the relations are: tables of the file, or temporary views.
      relationsIn: views ? 'temp' : 'main',
      // Of the tables that are read: changes with every write, or every change of the schema, by another connection.
      dataVersion: sqlite.prepare(`PRAGMA ${schema}.data_version`),
      schemaVersion: sqlite.prepare(`PRAGMA ${schema}.schema_version`),
      // Identifies the file that the path led to.
      file: ours.file,
      // Whether the paths still lead to the files that were opened.
      isCurrent: () => opened.every((each) => isSameFile(each.stamp, stampOf(each.path), each.isWal)),
      // Whether another file was copied over the file that is read, given its version. To be asked when a transaction begins.
      isCopied: (version: number) => !read.isWal && isCopy(stampOf(read.path).writtenAt, version),
    }
  } catch (error) {
    sqlite.close()
    throw error
  }
}
