// The bases that lists are found by: has them loaded, gives them to the readers, replaces them when they are void or outgrown, keeps
// them within their memory, and says which way each list takes and why.
import { setTimeout as wait } from 'node:timers/promises'
import { collections } from '../catalogue/collections.ts'
import { bytesOfBase } from '../finder/columns.ts'
import type { LoadedBase } from '../finder/finder.ts'
import { plainReasons, type PlainReason } from '../finder/snapshot.ts'
import type { Log } from '../platform/log.ts'
import { freeShared, startThread, type Thread } from '../platform/thread.ts'
import type { ListWay } from './engine.ts'
import type { Due, Loaded, LoaderData, LoaderRequest } from './loader.ts'
import type { SourceData } from './source.ts'

interface BasesOptions {
  readonly source: SourceData
  readonly memoryBytes: number
  // Where bases are saved for the next start; null: nowhere.
  readonly folder: string | null
  readonly log: Log
  // For every reader.
  readonly onLoaded: (loaded: LoadedBase) => void
  readonly onDropped: (collection: string) => void
  readonly startLoader?: typeof startThread
}

// How the lists of a collection are found. `takeOver` makes it columns, `goPlain` makes it plain. The base itself is not here: the
// thread that listens must not collect garbage for so large a part of memory.
type Way =
  | { readonly by: 'columns'; readonly id: number; readonly rows: number; readonly bytes: number }
  // The detail is of an unusual value.
  | { readonly by: 'plain'; readonly why: PlainReason; readonly detail?: string | undefined }

interface CollectionState {
  way: Way
  due?: Due | undefined
  // The reason or failure that was logged.
  logged?: string | undefined
  retryMs: number
  timer?: NodeJS.Timeout
}

// A journal may be made at any time; these reasons last longer, whatever a new connection finds.
const lastingReasons = new Set<PlainReason>(['too_large', 'unusual_value'])
const loading = { by: 'plain', why: 'loading' } as const
const recheckMs = { journal: 30_000, lasting: 3_600_000 }
// The pause after a failure, and after the death of the loader, doubles each time.
const pauseMs = { failure: 1000, death: 250, most: 30_000 }
// An instance that answers no lists for a while must not fall so far behind the tills that it has to load everything again. Small
// collections are loaded in less time than it takes to notice.
const keepUpEveryMs = 10_000
const leastKeptUp = 10_000
// The journal must reach back to the saved file at the next start.
const saveEveryMs = 600_000
const longestSaveMs = 5000

export function createBases(options: BasesOptions) {
  const { source, memoryBytes, folder, log, onLoaded, onDropped, startLoader = startThread } = options
  const entries = new Map<string, CollectionState>()
  for (const { name } of collections) entries.set(name, { way: loading, due: 'load', retryMs: pauseMs.failure })
  let thread: Thread | undefined
  let isWorking = false
  let isClosed = false
  let restartMs = pauseMs.death

  const start = () => {
    if (isClosed) return
    thread = startLoader(new URL('loader.ts', import.meta.url), {
      data: { source, folder } satisfies LoaderData,
      onDeath: (cause) => {
        log.error('loader_died', { cause })
        thread = undefined
        // On PostgreSQL no other connection can confirm them.
        for (const name of entries.keys()) drop(name)
        setTimeout(start, restartMs).unref()
        restartMs = Math.min(2 * restartMs, pauseMs.most)
      },
    })
    void work()
  }

  const ask = <Result>(request: LoaderRequest) =>
    (thread?.call(request) ?? Promise.reject(new Error('the loader is not there'))) as Promise<Result>

  const goPlain = (name: string, entry: CollectionState, way: Way & { by: 'plain' }) => {
    if (entry.way.by === 'columns') onDropped(name)
    entry.way = way
  }

  const drop = (name: string, due: Due = 'load') => {
    const entry = entries.get(name)
    if (!entry) return
    goPlain(name, entry, loading)
    entry.due = due
  }

  const isUsed = (name: string, baseId: number) => {
    const way = entries.get(name)?.way
    return way?.by === 'columns' && way.id === baseId
  }

  const loadLater = (entry: CollectionState, ms: number) => {
    clearTimeout(entry.timer)
    entry.timer = setTimeout(() => {
      entry.due ??= 'load'
      void work()
    }, ms)
    entry.timer.unref()
  }

  // Most reasons concern the whole database: one line for all collections that share a reason.
  const logReasons = () => {
    for (const [why, all] of Map.groupBy(entries, ([, entry]) => sentenceOf(entry))) {
      const some = all.filter(([, entry]) => entry.logged !== why)
      if (why === undefined || some.length === 0) continue
      log.warn('lists_by_plain_sql', { collections: some.map(([name]) => name), why })
      for (const [, entry] of some) entry.logged = why
    }
  }

  // Logs an outage once, not once for each collection.
  const logFailure = (name: string, entry: CollectionState, cause: Error) => {
    const isKnown = [...entries.values()].some(({ logged }) => logged === cause.message)
    entry.logged = cause.message
    if (!isKnown) log.warn('lists_not_loaded', { collection: name, cause })
  }

  const takeOver = (name: string, entry: CollectionState, result: Loaded) => {
    if ('isKept' in result) return void (entry.logged = undefined)
    if ('whyPlain' in result) {
      goPlain(name, entry, { by: 'plain', why: result.whyPlain, detail: result.detail })
      return loadLater(entry, lastingReasons.has(result.whyPlain) ? recheckMs.lasting : recheckMs.journal)
    }
    const { loaded, from } = result
    const { id, base } = loaded
    const [rows, bytes] = [base.ids.length, bytesOfBase(base)]
    clearTimeout(entry.timer)
    const isNew = entry.way.by === 'plain'
    entries.set(name, { way: { by: 'columns', id, rows, bytes }, retryMs: pauseMs.failure })
    onLoaded(loaded)
    setImmediate(freeShared, 'minor')
    if (isNew) log.info('lists_by_columns', { collection: name, rows, bytes, from })
  }

  // One collection at a time: loading takes more memory than the base.
  const work = async () => {
    if (isWorking) return
    isWorking = true
    for (;;) {
      const next = [...entries].find(([, { due }]) => due)
      if (!next || !thread || isClosed) break
      const [name, entry] = next
      const due = entry.due ?? 'load'
      entry.due = undefined
      const others = [...entries.values()].filter((each) => each !== entry)
      const mostBytes = others.reduce((left, each) => left - bytesOf(each), memoryBytes)
      try {
        takeOver(name, entry, await ask<Loaded>({ load: name, due, mostBytes }))
      } catch (cause) {
        // The loader died: all bases were dropped, and are due once it is replaced.
        if (!thread || isClosed) break
        logFailure(name, entry, cause as Error)
        if (due === 'keep up') {
          for (const each of entries.values()) if (each.due === due) each.due = undefined
          continue
        }
        if (due === 'load') goPlain(name, entry, { by: 'plain', why: 'unreadable' })
        loadLater(entry, entry.retryMs)
        entry.retryMs = Math.min(2 * entry.retryMs, pauseMs.most)
      }
    }
    if (thread && !isClosed) {
      restartMs = pauseMs.death
      logReasons()
    }
    isWorking = false
  }

  const save = async (): Promise<void> => {
    if (folder !== null) await ask({ save: true }).catch((cause: unknown) => log.warn('lists_not_saved', { cause }))
  }
  const saving = setInterval(() => void save(), saveEveryMs)
  saving.unref()
  const keepingUp = setInterval(() => {
    for (const entry of entries.values())
      if (entry.way.by === 'columns' && entry.way.rows > leastKeptUp) entry.due ??= 'keep up'
    void work()
  }, keepUpEveryMs)
  keepingUp.unref()

  start()
  return {
    // A reader has started or has reconnected: it gets the bases that are still valid.
    async giveTo(give: (loaded: LoadedBase) => void): Promise<void> {
      const bases = await ask<readonly LoadedBase[]>({ give: true }).catch(() => [])
      for (const [name, { way }] of entries) {
        if (way.by === 'plain') continue
        const known = bases.find(({ id }) => id === way.id)
        if (known) give(known)
        else drop(name)
      }
      void work()
    },
    // The loader may be less far behind the tills than a reader, and can read more.
    onVoid(name: string, baseId: number, why: string, isWrong: boolean): void {
      if (!isUsed(name, baseId)) return
      log.warn('lists_void', { collection: name, why })
      drop(name, isWrong ? 'load' : 'merge')
      void work()
    },
    onGrown(name: string, baseId: number): void {
      const entry = entries.get(name)
      if (!entry || !isUsed(name, baseId)) return
      if (entry.due !== 'load') entry.due = 'merge'
      void work()
    },
    // A reader has found a journal that may be new.
    onJournal(): void {
      for (const entry of entries.values())
        if (entry.way.by === 'plain' && !lastingReasons.has(entry.way.why)) entry.due ??= 'load'
      void work()
    },
    ways: (): ListWay[] =>
      Array.from(entries, ([collection, entry]) => ({
        collection,
        way: entry.way.by,
        why: entry.way.by === 'plain' ? entry.way.why : null,
        rows: entry.way.by === 'columns' ? entry.way.rows : 0,
        bytes: bytesOf(entry),
      })),
    async close(): Promise<void> {
      isClosed = true
      clearInterval(saving)
      clearInterval(keepingUp)
      for (const { timer } of entries.values()) clearTimeout(timer)
      await Promise.race([save(), wait(longestSaveMs, undefined, { ref: false })])
      await thread?.stop()
    },
  }
}

const bytesOf = ({ way }: CollectionState) => (way.by === 'columns' ? way.bytes : 0)

// Undefined for reasons that pass by themselves.
function sentenceOf({ way }: CollectionState): string | undefined {
  if (way.by === 'columns' || way.why === 'loading' || way.why === 'unreadable') return undefined
  return way.detail === undefined ? plainReasons[way.why] : `${plainReasons[way.why]}: ${way.detail}`
}
