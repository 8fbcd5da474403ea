// A mirror as NDJSON or CSV files in a folder, in order of id. Changes wait in a SQLite file beside them until `finish` merges
// them into the files, each of which is replaced as a whole.
import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { join } from 'node:path'
import { csvFiles, type ExportFile } from './csv.ts'
import { openSqliteMirror } from './database.ts'
import { openStore, readMirror } from './ledger.ts'
import { makeOwnFolder, replaceFile, stampOf } from './own-files.ts'
import { Refused, type PulledRecord, type Store, type VisibleResource } from './store.ts'

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
  const { rows, sqlite } = database
  // A `record` that is null is gone.
  await rows(
    'CREATE TABLE IF NOT EXISTS _pull_changes (resource TEXT, id INTEGER, record TEXT, PRIMARY KEY (resource, id))',
  )
  // `next`: the stamp of a draft that is about to replace the file.
  await rows('CREATE TABLE IF NOT EXISTS _pull_files (file TEXT PRIMARY KEY, stamp TEXT, next TEXT)')
  const changesOf = sqlite.prepare('SELECT id, record FROM _pull_changes WHERE resource = ? ORDER BY id')

  const ownFiles = async (resource: VisibleResource) => {
    const mirror = await readMirror(database)
    return mirror?.format === 'csv' ? csvFiles(resource, mirror.isRawText) : ndjsonFiles(resource)
  }
  async function discard(files: readonly ExportFile[]): Promise<void> {
    for (const { file } of files) {
      rmSync(join(folder, file), { force: true })
      await rows('DELETE FROM _pull_files WHERE file = ?', file)
    }
  }

  function* changedRecords(name: string): Generator<{ id: number; record: PulledRecord | null }, void> {
    for (const { id, record } of changesOf.iterate(name))
      yield { id: Number(id), record: record === null ? null : (JSON.parse(String(record)) as PulledRecord) }
  }

  // Whether the file is as this mirror wrote it; undefined: the mirror did not write it.
  async function isUnchanged({ file }: ExportFile): Promise<boolean | undefined> {
    const stamp = stampOf(join(folder, file))
    const [row] = await rows('SELECT stamp, next FROM _pull_files WHERE file = ?', file)
    return row && stamp !== null && (stamp === row['stamp'] || stamp === row['next'])
  }

  return await openStore(database, {
    cameTable: '_pull_changes',
    async begin(resource, before) {
      const files = await ownFiles(resource)
      for (const file of files) {
        const path = join(folder, file.file)
        if ((await isUnchanged(file)) === undefined && stampOf(path) !== null)
          throw new Refused(
            `${path} is there, and is not of this mirror: move it away, or name another folder with --to.`,
          )
      }
      const kept = new Set(files.map(({ file }) => file))
      if (before) await discard((await ownFiles(before)).filter(({ file }) => !kept.has(file)))
    },
    write: ({ resource: { name } }, entries) =>
      database.insert(
        '_pull_changes',
        ['resource', 'id', 'record'],
        entries.map((entry) => ({
          resource: name,
          id: entry.id,
          record: entry.change === 'record' ? JSON.stringify(entry.record) : null,
        })),
        ['resource', 'id'],
      ),
    async finish({ resource, isReadingAll }, settle) {
      const counts = { total: 0, removed: 0 }
      const files = await ownFiles(resource)
      for (const [at, file] of files.entries()) {
        const path = join(folder, file.file)
        const isOurs = await isUnchanged(file)
        if (!isOurs && !isReadingAll)
          throw new Refused(`${path} was changed by another program just now: the next run reads everything again.`)
        const before = isOurs ? linesOf(path, file) : []
        const ownCounts = at === 0 ? counts : { total: 0, removed: 0 }
        const merged = merge(before, changedRecords(resource.name), isReadingAll, file, ownCounts)
        await replaceFile(path, merged, async (next) => {
          await database.insert('_pull_files', ['file', 'next'], [{ file: file.file, next }], ['file'])
        })
      }
      await database.inTransaction(async () => {
        for (const { file } of files)
          await rows('UPDATE _pull_files SET stamp = ?, next = NULL WHERE file = ?', stampOf(join(folder, file)), file)
        await settle(counts.total)
      })
      const [free] = await rows('PRAGMA freelist_count')
      if (Number(free?.['freelist_count']) > mostFreePages) await rows('VACUUM')
      return counts
    },
    remove: async (resource) => discard(await ownFiles(resource)),
    async damaged(resource) {
      for (const file of await ownFiles(resource)) if (!(await isUnchanged(file))) return file.file
      return null
    },
  })
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
