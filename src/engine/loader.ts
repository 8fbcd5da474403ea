// The thread that makes bases: it scans collections into columns, and merges what was written since into new ones. It reads with a
// connection of its own, in short snapshots, so that no till waits for it.
import { findCollection, type Collection } from '../catalogue/collections.ts'
import { sizeOfBase } from '../finder/columns.ts'
import { catchUp, holdBase, type Held, type LoadedBase } from '../finder/finder.ts'
import { rebase } from '../finder/rebase.ts'
import type { Mark } from '../finder/snapshot.ts'
import { UnusualValue } from '../finder/values.ts'
import { answerCalls, threadData } from '../platform/thread.ts'
import { openSource, type SourceData } from './open-source.ts'
import { readSavedBase, saveBase } from './saved-bases.ts'
import { scan, type Scanned } from './scan.ts'

export interface LoaderData {
  readonly source: SourceData
  // Where bases are kept from one run to the next; null: nowhere.
  readonly folder: string | null
}

// `renew` merges what was written since; `confirm` gives the bases whose connection has been there ever since they were loaded; `save` writes
// those that have changed to their files.
export type LoaderRequest =
  | { readonly load: string; readonly mostBytes: number }
  | { readonly renew: string; readonly mostBytes: number }
  | { readonly confirm: true }
  | { readonly save: true }

export type Loaded =
  | { readonly loaded: LoadedBase; readonly bytes: number; readonly from: 'database' | 'file' }
  | Exclude<Scanned, { readonly base: unknown }>

const { source: sourceData, folder } = threadData() as LoaderData
const bases = new Map<string, LoadedBase>()
// By collection, where the base in its file stands; empty once the file was looked for.
const saved = new Map<string, string>()
// Connections that were made.
let connections = 0
let lastId = 0

const source = await openSource(sourceData, (opened) => {
  connections += 1
  if (opened.mustConfirm) bases.clear()
})

answerCalls(async (call) => {
  const request = call as LoaderRequest
  if ('confirm' in request) {
    // Reaches the server, or fails and forgets all bases.
    await source.within((snapshot) => snapshot.mark([])).catch(() => bases.clear())
    return { result: [...bases.values()] }
  }
  if ('save' in request) return { result: await save() }
  const name = 'load' in request ? request.load : request.renew
  const loaded = 'renew' in request ? await renew(name, request.mostBytes) : await loadSaved(name, request.mostBytes)
  return { result: loaded ?? (await load(findCollection(name), request.mostBytes)) }
})

// As of now, so that the journal reaches back to the file for as long as possible.
async function save(): Promise<void> {
  if (folder === null) return
  for (const [name, loaded] of bases) {
    const held = await source.within((snapshot) => catchUp(source.dialect, holdBase(loaded), snapshot))
    if (!held || saved.get(name) === held.mark.point) continue
    saveBase(folder, held.collection, { ...loaded, base: merged(held), mark: held.mark })
    saved.set(name, held.mark.point)
  }
}

const merged = ({ base, overlay }: Held) =>
  overlay.masked.length + overlay.rows.ids.length > 0 ? rebase(base, overlay) : base

// Read once, at the start. Undefined if the file is of another database, or the journal no longer reaches back to its mark.
async function loadSaved(name: string, mostBytes: number): Promise<Loaded | undefined> {
  if (folder === null || saved.has(name)) return undefined
  saved.set(name, '')
  const collection = findCollection(name)
  const found = readSavedBase(folder, collection)
  if (!found) return undefined
  const bytes = sizeOfBase(found.base)
  const held = await source.within((snapshot) => catchUp(source.dialect, holdBase({ ...found, id: 0 }), snapshot))
  if (!held || bytes > mostBytes) return undefined
  saved.set(name, found.mark.point)
  return keep(collection, found.base, found.mark, 'file')
}

async function load(collection: Collection, mostBytes: number): Promise<Loaded> {
  bases.delete(collection.name)
  // The first snapshot connects where there is no connection.
  await source.within(async () => {})
  const since = connections
  const scanned = await scan(source, collection, { mostBytes })
  if ('whyPlain' in scanned) return scanned
  if (sourceData.kind === 'postgres' && connections !== since) throw new Error('the connection was lost meanwhile')
  return keep(collection, scanned.base, scanned.mark)
}

// Undefined where the base is void.
async function renew(name: string, mostBytes: number): Promise<Loaded | undefined> {
  const known = bases.get(name)
  if (!known) return undefined
  try {
    const held = await source.within((snapshot) => catchUp(source.dialect, holdBase(known), snapshot))
    // A connection that was lost meanwhile has taken it away.
    if (!held || bases.get(name) !== known) return undefined
    const base = merged(held)
    if (sizeOfBase(base) > mostBytes) return undefined
    return keep(held.collection, base, held.mark)
  } catch (error) {
    if (error instanceof UnusualValue) return undefined
    throw error
  }
}

function keep(
  { name }: Collection,
  base: LoadedBase['base'],
  mark: Mark,
  from: 'database' | 'file' = 'database',
): Loaded {
  lastId += 1
  const loaded = { id: lastId, collection: name, base, mark }
  bases.set(name, loaded)
  return { loaded, bytes: sizeOfBase(base), from }
}
