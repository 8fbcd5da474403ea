// A mirror as files of a folder, NDJSON or CSV. What is known is kept in a SQLite file beside them; the files are written anew
// from it whenever something has changed, each in one piece: whoever reads them never sees half of one.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ResourceDescription } from '../client.ts'
import { csvFiles, type Export } from './csv.ts'
import { openLedger } from './ledger.ts'
import { makeOwnFolder, replaceFile } from './own-files.ts'
import { ofShape, shapeOf, type Found, type Store } from './store.ts'

const ndjsonFiles = ({ name }: ResourceDescription): Export[] => [
  { file: `${name}.ndjson`, style: '', heading: '', lines: (_, text) => `${text}\n` },
]

const chunkLength = 1 << 18

// In either format.
const filesOf = (resource: ResourceDescription) =>
  [...csvFiles(resource, false), ...ndjsonFiles(resource)].map(({ file }) => file)

export function openFilesStore(folder: string, format: 'ndjson' | 'csv', isRawText: boolean): Store {
  const hidden = join(folder, '.vitrine')
  makeOwnFolder(hidden)
  const ledger = openLedger(join(hidden, 'mirror.db'))
  const { database } = ledger
  database.exec(
    'CREATE TABLE IF NOT EXISTS records (resource TEXT, id INTEGER, record TEXT, PRIMARY KEY (resource, id)) WITHOUT ROWID',
  )
  const put = database.prepare('INSERT OR REPLACE INTO records (resource, id, record) VALUES (?, ?, ?)')
  const remove = database.prepare('DELETE FROM records WHERE resource = ? AND id = ?')
  const all = database.prepare('SELECT record FROM records WHERE resource = ? ORDER BY id')

  function* textOf(name: string, { heading, lines }: Export): Generator<string, void> {
    let chunk = heading
    for (const { record } of all.iterate(name)) {
      const text = String(record)
      chunk += lines(JSON.parse(text) as Found, text)
      if (chunk.length < chunkLength) continue
      yield chunk
      chunk = ''
    }
    yield chunk
  }

  const isThere = ({ file }: Export) => existsSync(join(folder, file))
  const discard = (files: readonly string[]) => files.forEach((file) => rmSync(join(folder, file), { force: true }))

  return {
    ...ledger,
    begin(resource) {
      const { shape } = ledger.progressOf(resource.name)
      const kept = new Set(filesOf(resource))
      if (shape !== null) discard(filesOf(ofShape(resource.name, shape)).filter((file) => !kept.has(file)))
      ledger.begin(resource.name, shapeOf(resource))
    },
    names: () => ledger.shapes().map(({ name }) => name),
    clear() {
      for (const { name, shape } of ledger.shapes()) discard(filesOf(ofShape(name, shape)))
      database.exec('DELETE FROM records')
      ledger.clear()
    },
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
      // The other format, too, if somebody has asked for it before: what is there is not to be old.
      const [csv, ndjson] = [csvFiles(resource, isRawText), ndjsonFiles(resource)]
      const [asked, other] = format === 'csv' ? [csv, ndjson] : [ndjson, csv]
      // A file may be missing: somebody moved it away to use it.
      for (const each of [...asked, ...other.filter(isThere)]) {
        if (!ledger.isStale(name, each.file, each.style) && isThere(each)) continue
        replaceFile(join(folder, each.file), textOf(name, each))
        ledger.setFresh(name, each.file, each.style)
      }
      return ledger.countOf(name)
    },
  }
}
