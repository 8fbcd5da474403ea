// Admits requests without leaving the listener's thread. The standing of a token is cached until any process writes to the file,
// which SQLite reports exactly, so a revocation by the command line holds from the next request on. Rate windows of keys are
// counted in memory. (Several instances share a state on PostgreSQL, never a file.)
import type { Clock } from '../../platform/clock.ts'
import { createBoundedCache } from '../../platform/bounded-cache.ts'
import { openSqlite, type Sqlite, type SqliteStatement } from '../../platform/sqlite.ts'
import type { Admission } from '../state.ts'
import { countOne, describeWindow, isOver, type Counter } from '../window.ts'
import { stampState } from './exchange.ts'
import type { Standing } from './store.ts'

interface Admissions {
  admit(tokenHash: Uint8Array | null, fullAddress?: string | null): Promise<Admission>
  // The running windows, to be saved for the next start.
  windows(): [accessKey: string, counter: Counter][]
  close(): void
}

interface AdmissionOptions {
  readonly path: string
  readonly clock: Clock
  // Reads the file, in its own thread, which notices if the file was exchanged.
  readonly lookUp: (tokenHash: Uint8Array | null, fullAddress: string | null) => Promise<Standing>
}

const mostTokens = 10_000

export function createAdmissions({ path, clock, lookUp }: AdmissionOptions): Admissions {
  const watch = watchWrites(path)
  const standings = createBoundedCache<string, Standing>(mostTokens)
  const windows = new Map<string, Counter>()
  let version: string | undefined

  const standingOf = async (tokenHash: Uint8Array | null, fullAddress: string | null): Promise<Standing> => {
    const current = await watch.version()
    if (current === undefined) return lookUp(tokenHash, fullAddress)
    if (current !== version) standings.clear()
    version = current
    // The address is part of the key, because the key of a token may be limited to addresses.
    const name = tokenHash === null ? '' : `${Buffer.from(tokenHash).toString('latin1')}${fullAddress}`
    const cached = standings.get(name)
    if (cached) return cached
    const standing = await lookUp(tokenHash, fullAddress)
    // Cached only if the version did not change during the look-up. Invalid tokens are never cached.
    if ((standing.token || tokenHash === null) && (await watch.version()) === current && version === current)
      standings.set(name, standing)
    return standing
  }

  return {
    async admit(tokenHash, fullAddress = null) {
      const { isEnabled, token } = await standingOf(tokenHash, fullAddress)
      const now = clock.now()
      if (!token || token.expiresAt <= now) return { isEnabled, admitted: null }
      const { caller, rate } = token
      const counter = countOne(windows.get(caller.accessKey) ?? token.counter, now)
      windows.set(caller.accessKey, counter)
      return { isEnabled, admitted: { caller, window: describeWindow(rate, counter, now) } }
    },
    windows() {
      const now = clock.now()
      return [...windows].filter(([, counter]) => !isOver(counter, now))
    },
    close: () => watch.close(),
  }
}

// Tells whether the file was written or exchanged: SQLite knows exactly what was written through it.
function watchWrites(path: string) {
  let open: { readonly sqlite: Sqlite; readonly read: SqliteStatement } | undefined
  let looking: Promise<string | undefined> | undefined
  let isClosed = false
  const connect = () => {
    // On the listener's thread, which must not wait for a lock.
    const sqlite = openSqlite(path, { readOnly: true, lockTimeoutMs: 0 })
    return { sqlite, read: sqlite.prepare('PRAGMA data_version') }
  }
  const look = (): string | undefined => {
    if (isClosed) return undefined
    try {
      open ??= connect()
      const { files, writtenAt } = stampState(path)
      return `${files.join()} ${writtenAt} ${String(open.read.get()?.['data_version'])}`
    } catch {
      // Locked, or gone: the thread that holds the file can wait, or knows more.
      return undefined
    }
  }
  look()
  return {
    // Callers of one iteration of the event loop share one look, which comes after all input that had arrived by then is read. So no request
    // gets a version from before its arrival.
    version() {
      looking ??= new Promise((resolve) => {
        setImmediate(() => {
          looking = undefined
          resolve(look())
        })
      })
      return looking
    },
    close() {
      isClosed = true
      open?.sqlite.close()
      open = undefined
    },
  }
}
