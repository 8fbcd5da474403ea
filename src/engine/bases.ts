// The columns that lists are found by: has them loaded, hands them to the readers, replaces them when they are void or outgrown, keeps
// them within their memory, and says which way each list takes and why.
import { setTimeout as wait } from 'node:timers/promises'
import { collections } from '../catalogue/collections.ts'
import type { LoadedBase } from '../finder/finder.ts'
import { plainReasons, type PlainReason } from '../finder/plain-reasons.ts'
import type { Log } from '../platform/log.ts'
import { startThread, type Thread } from '../platform/thread.ts'
import type { ListWay } from './engine.ts'
import type { Loaded, LoaderData, LoaderRequest } from './loader.ts'
import type { SourceData } from './open-source.ts'

interface BasesOptions {
  readonly source: SourceData
  readonly memoryBytes: number
  // Where they are kept from one run to the next; null: nowhere.
  readonly folder: string | null
  readonly log: Log
  // To every reader.
  readonly onLoaded: (loaded: LoadedBase) => void
  readonly onDropped: (collection: string) => void
  readonly startLoader?: typeof startThread
}

interface Entry {
  loaded: LoadedBase | undefined
  bytes: number
  why: PlainReason | null
  // What is unusual about a value.
  detail: string | undefined
  // The reason or failure that the log has told.
  told: string | undefined
  isDue: 'load' | 'renew' | undefined
  retryMs: number
  timer: NodeJS.Timeout | undefined
}

// A journal may be made at any time; a value that cannot be kept stays for longer.
const retryMs = { journal: 30_000, lasting: 3_600_000 }
// After a failure, and after the death of the loader: the pause doubles each time.
const pauseMs = { failure: 1000, death: 250, most: 30_000 }
// After a crash the journal supplies what was written since the file; it must reach back that far.
const saveEveryMs = 600_000
const longestSaveMs = 5000

// What a journal that is there again ends.
const ofJournal = new Set<PlainReason>(['no_journal', 'unreadable_journal', 'foreign_journal', 'triggers'])

export function createBases({
  source,
  memoryBytes,
  folder,
  log,
  onLoaded,
  onDropped,
  startLoader = startThread,
}: BasesOptions) {
  const entries = new Map<string, Entry>(
    collections.map(({ name }) => [
      name,
      {
        loaded: undefined,
        bytes: 0,
        why: 'loading',
        detail: undefined,
        told: undefined,
        isDue: 'load',
        retryMs: pauseMs.failure,
        timer: undefined,
      },
    ]),
  )
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
        // On PostgreSQL nobody can confirm them any more.
        for (const name of entries.keys()) drop(name)
        setTimeout(start, restartMs).unref()
        restartMs = Math.min(2 * restartMs, pauseMs.most)
      },
    })
    void work()
  }

  const ask = <Result>(request: LoaderRequest) =>
    (thread?.call(request) ?? Promise.reject(new Error('the loader is not there'))) as Promise<Result>

  const drop = (name: string) => {
    const entry = entries.get(name)
    if (!entry) return
    goPlain(name, entry, 'loading')
    entry.isDue = 'load'
  }

  const laterAgain = (entry: Entry, ms: number) => {
    clearTimeout(entry.timer)
    entry.timer = setTimeout(() => {
      entry.isDue ??= 'load'
      void work()
    }, ms)
    entry.timer.unref()
  }

  const goPlain = (name: string, entry: Entry, why: PlainReason, detail?: string) => {
    if (entry.loaded) onDropped(name)
    Object.assign(entry, { loaded: undefined, bytes: 0, why, detail } satisfies Partial<Entry>)
  }

  // Most reasons are those of the whole database: one line for all collections that share one.
  const tellPlain = () => {
    const untold = [...entries].filter(
      ([, entry]) => sentenceOf(entry) !== undefined && sentenceOf(entry) !== entry.told,
    )
    for (const [why, some] of Map.groupBy(untold, ([, entry]) => sentenceOf(entry))) {
      log.warn('lists_by_plain_sql', { collections: some.map(([name]) => name), why })
      for (const [, entry] of some) entry.told = why
    }
  }

  // Once while it lasts, whichever collections it concerns.
  const tellFailure = (name: string, entry: Entry, cause: Error) => {
    const isKnown = [...entries.values()].some(({ told }) => told === cause.message)
    entry.told = cause.message
    if (!isKnown) log.warn('lists_not_loaded', { collection: name, cause })
  }

  const takeOver = (name: string, entry: Entry, found: Loaded) => {
    if ('whyPlain' in found) {
      goPlain(name, entry, found.whyPlain, found.detail)
      return laterAgain(entry, found.isLasting ? retryMs.lasting : retryMs.journal)
    }
    const { loaded, bytes, from } = found
    clearTimeout(entry.timer)
    const isNew = entry.loaded === undefined
    Object.assign(entry, {
      loaded,
      bytes,
      why: null,
      detail: undefined,
      told: undefined,
      retryMs: pauseMs.failure,
      isDue: undefined,
    } satisfies Partial<Entry>)
    onLoaded(loaded)
    if (isNew) log.info('lists_by_columns', { collection: name, rows: loaded.base.ids.length, bytes, from })
  }

  // One at a time: a load takes memory besides what it leaves.
  const work = async () => {
    if (isWorking) return
    isWorking = true
    for (;;) {
      const due = [...entries].find(([, { isDue }]) => isDue)
      if (!due || !thread || isClosed) break
      const [name, entry] = due
      const isRenewal = entry.isDue === 'renew'
      entry.isDue = undefined
      const others = [...entries.values()].reduce((sum, { bytes }) => sum + bytes, 0) - entry.bytes
      const mostBytes = memoryBytes - others
      try {
        takeOver(name, entry, await ask<Loaded>(isRenewal ? { renew: name, mostBytes } : { load: name, mostBytes }))
      } catch (cause) {
        // With the loader everything was dropped, and is due once there is another.
        if (!thread || isClosed) break
        tellFailure(name, entry, cause as Error)
        if (!isRenewal) goPlain(name, entry, 'unreadable')
        laterAgain(entry, entry.retryMs)
        entry.retryMs = Math.min(2 * entry.retryMs, pauseMs.most)
      }
    }
    if (thread && !isClosed) {
      restartMs = pauseMs.death
      tellPlain()
    }
    isWorking = false
  }

  const save = async (): Promise<void> => {
    if (folder !== null) await ask({ save: true }).catch((cause: unknown) => log.warn('lists_not_saved', { cause }))
  }
  const saving = setInterval(() => void save(), saveEveryMs)
  saving.unref()

  start()
  return {
    // A reader has made a connection, or has just begun: it gets what is still valid.
    async giveTo(give: (loaded: LoadedBase) => void): Promise<void> {
      // A mark in a SQLite file proves itself.
      const isProven = source.kind === 'sqlite'
      const confirmed = isProven ? [] : await ask<readonly LoadedBase[]>({ confirm: true }).catch(() => [])
      const ids = new Set(confirmed.map(({ id }) => id))
      for (const [name, { loaded }] of entries) {
        if (!loaded) continue
        if (isProven || ids.has(loaded.id)) give(loaded)
        else drop(name)
      }
      void work()
    },
    onVoid(name: string, baseId: number, why: string): void {
      if (entries.get(name)?.loaded?.id !== baseId) return
      log.warn('lists_void', { collection: name, why })
      drop(name)
      void work()
    },
    onGrown(name: string, baseId: number): void {
      const entry = entries.get(name)
      if (entry?.loaded?.id !== baseId) return
      entry.isDue ??= 'renew'
      void work()
    },
    // A reader has found a journal that may not have been there before.
    onJournal(): void {
      for (const entry of entries.values()) if (entry.why !== null && ofJournal.has(entry.why)) entry.isDue ??= 'load'
      void work()
    },
    ways: (): ListWay[] =>
      Array.from(entries, ([collection, { loaded, bytes, why }]) => ({
        collection,
        way: loaded ? 'columns' : 'plain',
        why,
        rows: loaded?.base.ids.length ?? 0,
        bytes,
      })),
    async close(): Promise<void> {
      isClosed = true
      clearInterval(saving)
      for (const { timer } of entries.values()) clearTimeout(timer)
      await Promise.race([save(), wait(longestSaveMs, undefined, { ref: false })])
      await thread?.stop()
    },
  }
}

// Undefined for what passes by itself.
function sentenceOf({ why, detail }: Entry): string | undefined {
  if (why === null || why === 'loading' || why === 'unreadable') return undefined
  return detail === undefined ? plainReasons[why] : `${plainReasons[why]}: ${detail}`
}

export type Bases = ReturnType<typeof createBases>
