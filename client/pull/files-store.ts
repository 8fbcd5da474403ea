// A mirror as NDJSON or CSV files in a folder. Records are stored in a SQLite file beside them, and changed files are written
// from it and replaced as a whole.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ResourceDescription } from '../client.ts'
import { csvFiles, type ExportFile } from './csv.ts'
import { openLedger } from './ledger.ts'
import { makeOwnFolder, replaceFile } from './own-files.ts'
import { ofShape, shapeOf, type PulledRecord, type Store } from './store.ts'

const ndjsonFiles = ({ name }: ResourceDescription): ExportFile[] => [
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

  function* textOf(name: string, { heading, lines }: ExportFile): Generator<string, void> {
    let chunk = heading
    for (const { record } of all.iterate(name)) {
      const text = String(record)
      chunk += lines(JSON.parse(text) as PulledRecord, text)
      if (chunk.length < chunkLength) continue
      yield chunk
      chunk = ''
    }
    yield chunk
  }

  const isThere = ({ file }: ExportFile) => existsSync(join(folder, file))
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
      // Existing files of the other format are updated, too.
      const [csv, ndjson] = [csvFiles(resource, isRawText), ndjsonFiles(resource)]
      const [asked, other] = format === 'csv' ? [csv, ndjson] : [ndjson, csv]
      // A missing file was moved away, and is written again.
      for (const each of [...asked, ...other.filter(isThere)]) {
        if (!ledger.isStale(name, each.file, each.style) && isThere(each)) continue
        replaceFile(join(folder, each.file), textOf(name, each))
        ledger.setFresh(name, each.file, each.style)
      }
      return ledger.countOf(name)
    },
  }
}
