// The thread that makes bases: it scans collections, and merges bases with their changes. It reads with a connection of its own, in
// short snapshots, so that no till waits for it.
import { findCollection, type Collection } from '../catalogue/collections.ts'
import { bytesOfBase } from '../finder/columns.ts'
import { catchUp, isGrown, type HeldBase, type LoadedBase, type MarkedBase } from '../finder/finder.ts'
import { emptyOverlay, rebase } from '../finder/overlay.ts'
import type { Snapshot } from '../finder/snapshot.ts'
import { UnusualValue } from '../finder/values.ts'
import { answerCalls, freeShared, threadData } from '../platform/thread.ts'
import { columnsStatement } from '../sql/records.ts'
import { openSource } from './open-source.ts'
import { readSavedBase, saveBase } from './saved-bases.ts'
import { scan, type NotScanned } from './scan.ts'
import type { SourceData } from './source.ts'

export interface LoaderData {
  readonly source: SourceData
  // Where bases are saved for the next start; null: nowhere.
  readonly folder: string | null
}

// What is due for a base: to be loaded; to be merged with its changes; or to be caught up, and merged if there are many.
export type Due = 'load' | 'merge' | 'keep up'

// `give` gives the bases whose connection has not been lost since they were loaded. `save` writes the bases that have
// changed to their files.
export type LoaderRequest =
  | { readonly load: string; readonly due: Due; readonly mostBytes: number }
  | { readonly give: true }
  | { readonly save: true }

export type Loaded =
  | { readonly loaded: LoadedBase; readonly from: 'database' | 'file' | 'changes' }
  | { readonly isKept: true }
  | NotScanned

const { source: sourceData, folder } = threadData() as LoaderData
// As they were given to the readers, and caught up now and then: the journal must reach back to their marks.
const bases = new Map<string, { readonly loaded: LoadedBase; readonly held: HeldBase }>()
// By collection: the point of the base in its file; empty if the file was not usable.
const saved = new Map<string, string>()
let connections = 0
let lastId = 0

const source = await openSource(sourceData, ({ mustConfirm }) => {
  connections += 1
  if (mustConfirm) bases.clear()
})

const caughtUp = (held: HeldBase) => source.within((snapshot) => catchUp(source.dialect, held, snapshot))

answerCalls(async (call) => {
  const request = call as LoaderRequest
  if ('give' in request) {
    // Either reaches the server, or the connection is lost, and with it all bases. A mark in a SQLite file proves itself.
    if (sourceData.kind === 'postgres') await source.within((snapshot) => snapshot.mark([])).catch(() => bases.clear())
    return { result: Array.from(bases.values(), ({ loaded }) => loaded) }
  }
  if ('save' in request) return { result: await save() }
  const { load: name, due, mostBytes } = request
  const loaded = await (due === 'load' ? loadSaved(name, mostBytes) : renew(name, due, mostBytes))
  const result = loaded ?? (await load(name, mostBytes))
  if ('loaded' in result && result.from === 'changes') setImmediate(freeShared, 'major')
  return { result }
})

// Caught up first, so that the journal reaches back to the file for as long as possible.
async function save(): Promise<void> {
  if (folder === null) return
  for (const [name, known] of bases) {
    const held = await caughtUp(known.held)
    if (!held || saved.get(name) === held.mark.point) continue
    saveBase(folder, { base: rebase(held.overlay), mark: held.mark })
    saved.set(name, held.mark.point)
  }
}

// Only once, at the start. Undefined if the file is of another database, or the journal no longer reaches back to its mark.
async function loadSaved(name: string, mostBytes: number): Promise<Loaded | undefined> {
  if (folder === null || saved.has(name)) return undefined
  saved.set(name, '')
  const found = readSavedBase(folder, findCollection(name))
  if (!found || bytesOfBase(found.base) > mostBytes) return undefined
  const isValid = await caughtUp(heldOf({ id: 0, ...found }))
  if (!isValid) return undefined
  saved.set(name, found.mark.point)
  return keep(found, 'file')
}

async function load(name: string, mostBytes: number): Promise<Loaded> {
  bases.delete(name)
  const collection = findCollection(name)
  // Connects if there is no connection, or if the relations have other columns than the connection knows.
  await source.within((snapshot) => readNothing(collection, snapshot))
  const since = connections
  const scanned = await scan(source, collection, { mostBytes })
  if ('whyPlain' in scanned) return scanned
  if (sourceData.kind === 'postgres' && connections !== since) throw new Error('the connection was lost meanwhile')
  return keep(scanned)
}

async function readNothing(collection: Collection, snapshot: Snapshot): Promise<void> {
  const { dialect } = source
  for (const relation of collection.relations)
    await snapshot.rows(columnsStatement(dialect, collection, relation, { ids: dialect.integerList([]) }))
}

// Undefined if the base is no longer valid.
async function renew(name: string, due: Due, mostBytes: number): Promise<Loaded | undefined> {
  const known = bases.get(name)
  if (!known) return undefined
  try {
    const held = await caughtUp(known.held)
    // Removed, if the connection was lost meanwhile.
    if (!held || bases.get(name) !== known) return undefined
    if (due === 'keep up' && !isGrown(held)) {
      bases.set(name, { ...known, held })
      return { isKept: true }
    }
    const base = rebase(held.overlay)
    return bytesOfBase(base) > mostBytes ? undefined : keep({ base, mark: held.mark }, 'changes')
  } catch (error) {
    if (error instanceof UnusualValue) return undefined
    throw error
  }
}

const heldOf = ({ id, base, mark }: LoadedBase): HeldBase => ({ id, overlay: emptyOverlay(base), mark })

function keep({ base, mark }: MarkedBase, from: 'database' | 'file' | 'changes' = 'database'): Loaded {
  const loaded = { id: (lastId += 1), base, mark }
  bases.set(base.collection.name, { loaded, held: heldOf(loaded) })
  return { loaded, from }
}
