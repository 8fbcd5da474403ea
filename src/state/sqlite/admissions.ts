// Admits requests without leaving the listener's thread. The standing of a token is cached until any process writes to the file,
// which SQLite reports exactly, so a revocation by the command line holds from the next request on. Rate windows of keys are
// counted in memory. (Several instances share a state on PostgreSQL, never a file.)
import type { Clock } from '../../platform/clock.ts'
import { createBoundedCache } from '../../platform/bounded-cache.ts'
import { watchVersion } from '../../platform/sqlite.ts'
import type { Admission } from '../state.ts'
import { countOne, describeWindow, isOver, type Counter } from '../window.ts'
import { stampWithLog } from './held-file.ts'
import type { Standing } from './store.ts'

interface Admissions {
  admit(tokenHash: Uint8Array | null, fullAddress?: string | null): Promise<Admission>
  // The running windows, to be saved for the next start.
  windows(): [accessKey: string, counter: Counter][]
  // Between these two calls the file is not touched.
  release(): void
  reopen(): void
  close(): void
}

interface AdmissionOptions {
  readonly path: string
  readonly clock: Clock
  // Reads the file, in its own thread.
  readonly lookUp: (tokenHash: Uint8Array | null, fullAddress: string | null) => Promise<Standing>
  // Called when the files were replaced.
  readonly onExchanged?: () => void
}

const mostTokens = 10_000

export function createAdmissions({ path, clock, lookUp, onExchanged = () => {} }: AdmissionOptions): Admissions {
  const start = () => watchVersion(path, { stampFor: stampWithLog, onExchanged })
  let watch = start()
  // Versions of different watches are not comparable.
  let watches = 0
  const readVersion = async () => {
    const prefix = watches
    // Undefined if the file is locked or just being reopened: the thread that holds it can wait for it.
    const current = await watch.version().catch(() => undefined)
    return current === undefined ? undefined : `${prefix}:${current}`
  }
  const standings = createBoundedCache<string, Standing>(mostTokens)
  const windows = new Map<string, Counter>()
  let version: string | undefined

  const standingOf = async (tokenHash: Uint8Array | null, fullAddress: string | null): Promise<Standing> => {
    const current = await readVersion()
    if (current === undefined) return lookUp(tokenHash, fullAddress)
    if (current !== version) standings.clear()
    version = current
    // The address is part of the key, because the key of a token may be limited to addresses.
    const name = tokenHash === null ? '' : `${Buffer.from(tokenHash).toString('latin1')}${fullAddress}`
    const cached = standings.get(name)
    if (cached) return cached
    const standing = await lookUp(tokenHash, fullAddress)
    // Cached only if the version did not change during the look-up. Invalid tokens are never cached.
    if ((standing.token || tokenHash === null) && (await readVersion()) === current && version === current)
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
    release: () => watch.close(),
    reopen() {
      watch.close()
      watches += 1
      watch = start()
    },
    close: () => watch.close(),
  }
}
