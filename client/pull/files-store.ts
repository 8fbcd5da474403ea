// A mirror as NDJSON or CSV files in a folder, in order of id. Changes wait in a SQLite file beside them until `finish` merges
// them into the files, each of which is replaced as a whole.
import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { join } from 'node:path'
import { csvFiles, type ExportFile } from './csv.ts'
import { openSqliteMirror } from './database.ts'
import { openLedger } from './ledger.ts'
import { makeOwnFolder, replaceFile, stampOf } from './own-files.ts'
import {
  Refused,
  type FinishedResource,
  type PulledRecord,
  type Store,
  type StoredResource,
  type VisibleResource,
} from './store.ts'

const ndjsonFiles = ({ name }: VisibleResource): ExportFile[] => [
  {
    file: `${name}.ndjson`,
    heading: '',
    lineEnd: '\n',
    lines: (record) => `${JSON.stringify(record)}\n`,
    idOf: (line) => (JSON.parse(line) as PulledRecord).id,
    hasQuotes: false,
  },
]

const chunkBytes = 1 << 18
// When more pages of the database are free, it is vacuumed.
const mostFreePages = 1000

export async function openFilesStore(folder: string): Promise<Store> {
  const hidden = join(folder, '.vitrine')
  makeOwnFolder(hidden)
  const database = await openSqliteMirror(join(hidden, 'mirror.db'))
  const { rows, inTransaction, sqlite } = database
  const ledger = await openLedger(database)
  // A `record` that is null is gone.
  await rows(
    'CREATE TABLE IF NOT EXISTS _pull_changes (resource TEXT, id INTEGER, record TEXT, PRIMARY KEY (resource, id))',
  )
  // `next`: the stamp of a draft that is about to replace the file.
  await rows('CREATE TABLE IF NOT EXISTS _pull_files (file TEXT PRIMARY KEY, stamp TEXT, next TEXT)')
  const changesOf = sqlite.prepare('SELECT id, record FROM _pull_changes WHERE resource = ? ORDER BY id')

  const ownFiles = async (resource: VisibleResource) => {
    const mirror = await ledger.mirror()
    return mirror?.format === 'csv' ? csvFiles(resource, mirror.isRawText) : ndjsonFiles(resource)
  }
  async function discard(files: readonly ExportFile[]): Promise<void> {
    for (const { file } of files) rmSync(join(folder, file), { force: true })
    await database.remove(
      '_pull_files',
      'file',
      files.map(({ file }) => file),
    )
  }

  function* changedRecords(name: string): Generator<{ id: number; record: PulledRecord | null }, void> {
    for (const { id, record } of changesOf.iterate(name))
      yield { id: Number(id), record: record === null ? null : (JSON.parse(String(record)) as PulledRecord) }
  }

  async function finishResource({ resource, isReadingAll }: StoredResource): Promise<FinishedResource> {
    const { name } = resource
    const counts = { total: 0, removed: 0 }
    const files = await ownFiles(resource)
    for (const [at, file] of files.entries()) {
      const path = join(folder, file.file)
      const isOurs = await isUnchanged(file)
      if (!isOurs && !isReadingAll)
        throw new Refused(`${path} was changed by another program just now: the next run reads everything again.`)
      const before = isOurs ? linesOf(path, file) : []
      const merged = merge(
        before,
        changedRecords(name),
        isReadingAll,
        file,
        at === 0 ? counts : { total: 0, removed: 0 },
      )
      await replaceFile(path, merged, async (next) => {
        await database.insert('_pull_files', ['file', 'next'], [{ file: file.file, next }], ['file'])
      })
    }
    await inTransaction(async () => {
      for (const { file } of files)
        await rows('UPDATE _pull_files SET stamp = ?, next = NULL WHERE file = ?', stampOf(join(folder, file)), file)
      await rows('DELETE FROM _pull_changes WHERE resource = ?', name)
      await ledger.settle(name, counts.total)
    })
    return { name, ...counts }
  }

  async function refuseForeignFiles(files: readonly ExportFile[]): Promise<void> {
    for (const { file } of files) {
      const isKnown = (await rows('SELECT 1 AS one FROM _pull_files WHERE file = ?', file)).length > 0
      if (!isKnown && stampOf(join(folder, file)) !== null)
        throw new Refused(
          `${join(folder, file)} is there, and is not of this mirror: move it away, or name another folder with --to.`,
        )
    }
  }

  // Whether the file is as this mirror wrote it.
  async function isUnchanged({ file }: ExportFile): Promise<boolean> {
    const stamp = stampOf(join(folder, file))
    const [row] = await rows('SELECT stamp, next FROM _pull_files WHERE file = ?', file)
    return stamp !== null && (stamp === row?.['stamp'] || stamp === row?.['next'])
  }

  return {
    ...ledger,
    async clear() {
      for (const { resource } of await ledger.resources()) await discard(await ownFiles(resource))
      await rows('DELETE FROM _pull_changes')
      await ledger.clear()
    },
    async begin(position, resources) {
      const stored = new Map((await ledger.resources()).map(({ resource }) => [resource.name, resource]))
      await inTransaction(async () => {
        for (const resource of resources) {
          const files = await ownFiles(resource)
          await refuseForeignFiles(files)
          const kept = new Set(files.map(({ file }) => file))
          const before = stored.get(resource.name)
          if (before) await discard((await ownFiles(before)).filter(({ file }) => !kept.has(file)))
          await rows('DELETE FROM _pull_changes WHERE resource = ?', resource.name)
        }
        await ledger.begin(position, resources)
      })
    },
    save: (position, entries, cursor) =>
      inTransaction(async () => {
        const known = new Set((await ledger.resourcesAt(position)).map(({ resource }) => resource.name as string))
        const own = entries.filter(({ resource }) => known.has(resource))
        await database.insert(
          '_pull_changes',
          ['resource', 'id', 'record'],
          own.map((entry) => ({
            resource: entry.resource,
            id: entry.id,
            record: entry.change === 'record' ? JSON.stringify(entry.record) : null,
          })),
          ['resource', 'id'],
        )
        await ledger.advance(position, cursor, [...new Set(own.map(({ resource }) => resource))])
      }),
    readSoFar: (position) => ledger.countRows('_pull_changes', position),
    async finish(position) {
      const finished = await ledger.finishChanged(position, finishResource)
      const [free] = await rows('PRAGMA freelist_count')
      if (Number(free?.['freelist_count']) > mostFreePages) await rows('VACUUM')
      return finished
    },
    async damaged(position) {
      for (const { resource, isReadingAll } of await ledger.resourcesAt(position))
        for (const file of isReadingAll ? [] : await ownFiles(resource))
          if (!(await isUnchanged(file))) return file.file
      return null
    },
    close: () => database.close(),
  }
}

interface Line {
  readonly id: number
  readonly text: string
}

function* linesOf(path: string, { heading, lineEnd, idOf, hasQuotes }: ExportFile): Generator<Line, void> {
  const handle = openSync(path, 'r')
  try {
    const decoder = new StringDecoder('utf8')
    const bytes = Buffer.alloc(chunkBytes)
    let isHeading = heading !== ''
    let isQuoted = false
    let rest = ''
    // Quotes are counted up to here.
    let counted = 0
    for (let read = readSync(handle, bytes); read > 0; read = readSync(handle, bytes)) {
      rest += decoder.write(bytes.subarray(0, read))
      let start = 0
      for (let end = rest.indexOf(lineEnd, counted); end >= 0; end = rest.indexOf(lineEnd, counted)) {
        if (hasQuotes && rest.slice(counted, end).split('"').length % 2 === 0) isQuoted = !isQuoted
        counted = end + lineEnd.length
        if (isQuoted) continue
        const text = rest.slice(start, counted)
        start = counted
        if (!isHeading) yield { id: idOf(text), text }
        isHeading = false
      }
      rest = rest.slice(start)
      counted -= start
    }
  } finally {
    closeSync(handle)
  }
}

// Lines of the file, and changed records, both in order of id → the lines of the new file. `counts` gets the number of records,
// and of those that were in the file and did not come again.
function* merge(
  before: Iterable<Line>,
  changed: Iterable<{ id: number; record: PulledRecord | null }>,
  isReadingAll: boolean,
  { heading, lines }: ExportFile,
  counts: { total: number; removed: number },
): Generator<string, void> {
  const old = before[Symbol.iterator]()
  let line = old.next()
  function* keepBelow(id: number): Generator<string, void> {
    for (; !line.done && line.value.id < id; line = old.next()) {
      counts[isReadingAll ? 'removed' : 'total'] += 1
      if (!isReadingAll) yield line.value.text
    }
  }
  yield heading
  for (const { id, record } of changed) {
    yield* keepBelow(id)
    while (!line.done && line.value.id === id) line = old.next()
    if (!record) continue
    counts.total += 1
    yield lines(record)
  }
  yield* keepBelow(Infinity)
}
