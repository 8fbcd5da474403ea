// A mirror as files of a folder, NDJSON or CSV. What is known is kept in a SQLite file beside them; the files are written anew
// from it whenever something has changed, each in one piece: whoever reads them never sees half of one.
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { ResourceDescription } from '../client.ts'
import { csvFiles } from './csv.ts'
import { openLedger } from './ledger.ts'
import type { Found, Store } from './store.ts'

// A file as its name, the line it begins with, and the lines that a record becomes.
export interface Export {
  readonly file: string
  readonly heading: string
  readonly lines: (record: Found, text: string) => string
}

const ndjsonFiles = ({ name }: ResourceDescription): Export[] => [
  { file: `${name}.ndjson`, heading: '', lines: (_, text) => `${text}\n` },
]

const chunkLength = 1 << 18

export function openFilesStore(folder: string, format: 'ndjson' | 'csv'): Store {
  const hidden = join(folder, '.vitrine')
  mkdirSync(hidden, { recursive: true })
  const ledger = openLedger(join(hidden, 'mirror.db'))
  const { database } = ledger
  database.exec(
    'CREATE TABLE IF NOT EXISTS records (resource TEXT, id INTEGER, record TEXT, PRIMARY KEY (resource, id)) WITHOUT ROWID',
  )
  const put = database.prepare('INSERT OR REPLACE INTO records (resource, id, record) VALUES (?, ?, ?)')
  const remove = database.prepare('DELETE FROM records WHERE resource = ? AND id = ?')
  const all = database.prepare('SELECT record FROM records WHERE resource = ? ORDER BY id')

  function write(name: string, { file, heading, lines }: Export): void {
    const path = join(folder, file)
    const draft = `${path}.part`
    const handle = openSync(draft, 'w')
    try {
      let chunk = heading
      for (const { record } of all.iterate(name)) {
        const text = String(record)
        chunk += lines(JSON.parse(text) as Found, text)
        if (chunk.length < chunkLength) continue
        writeSync(handle, chunk)
        chunk = ''
      }
      writeSync(handle, chunk)
    } catch (error) {
      rmSync(draft, { force: true })
      throw error
    } finally {
      closeSync(handle)
    }
    renameSync(draft, path)
  }

  return {
    ...ledger,
    begin: (resource, shape) => ledger.begin(resource.name, shape),
    open() {},
    save: (name, records, cursor) =>
      ledger.advance(
        name,
        records.map(({ id }) => id),
        cursor,
        () => records.forEach((record) => put.run(name, record.id, JSON.stringify(record))),
      ),
    finish(resource) {
      const { name } = resource
      ledger.settle(name, (id) => remove.run(name, id))
      const files = (format === 'csv' ? csvFiles : ndjsonFiles)(resource)
      // A file may be missing: somebody moved it away to use it, or this is another format than before.
      if (ledger.isChanged(name) || files.some(({ file }) => !existsSync(join(folder, file)))) {
        for (const each of files) write(name, each)
        ledger.setUnchanged(name)
      }
      return ledger.countOf(name)
    },
  }
}
