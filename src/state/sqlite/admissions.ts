// Admission of requests without leaving the listener's thread: what the file says of a token is remembered until somebody
// writes to the file, which SQLite tells exactly, and windows of keys are counted in memory. A revocation by the command
// line therefore holds from the next request on. (Several instances share a state on PostgreSQL, never a file.)
import type { Clock } from '../../platform/clock.ts'
import { watchVersion } from '../../platform/sqlite.ts'
import type { Admission } from '../state.ts'
import { countOne, describeWindow, isOver, type Counter } from '../window.ts'
import { stampWithLog } from './held-file.ts'
import type { Standing } from './store.ts'

interface Admissions {
  admit(tokenHash: Uint8Array | null, fullAddress?: string | null): Promise<Admission>
  // The windows that are not over, for the next start.
  windows(): [accessKey: string, counter: Counter][]
  // Between these the file is not looked at: it is opened anew.
  letGo(): void
  takeUp(): void
  close(): void
}

interface Parts {
  readonly path: string
  readonly clock: Clock
  // Asks the file, in its own thread.
  readonly lookUp: (tokenHash: Uint8Array | null, fullAddress: string | null) => Promise<Standing>
  // Told when other files are in the place of the state's.
  readonly onExchanged?: () => void
}

// Tokens that were used since the last change of the file.
const mostRemembered = 10_000

export function createAdmissions({ path, clock, lookUp, onExchanged = () => {} }: Parts): Admissions {
  const begin = () => watchVersion(path, { stampFor: stampWithLog, onExchanged })
  let watch = begin()
  // Each watch counts by itself.
  let watches = 0
  const lookAtVersion = async () => {
    const which = watches
    // Locked, or just opened anew: whom it belongs to can wait for it.
    const found = await watch.version().catch(() => undefined)
    return found === undefined ? undefined : `${which}:${found}`
  }
  const known = new Map<string, Standing>()
  const windows = new Map<string, Counter>()
  let version: string | undefined

  const standingOf = async (tokenHash: Uint8Array | null, fullAddress: string | null): Promise<Standing> => {
    const current = await lookAtVersion()
    if (current === undefined) return lookUp(tokenHash, fullAddress)
    if (current !== version || known.size >= mostRemembered) known.clear()
    version = current
    // By the address as well: from where its key is not allowed, a token is looked up each time, as a wrong one is.
    const name = tokenHash === null ? '' : `${Buffer.from(tokenHash).toString('latin1')}${fullAddress}`
    const remembered = known.get(name)
    if (remembered) return remembered
    const standing = await lookUp(tokenHash, fullAddress)
    // It is of a version that was not left meanwhile, or it is not kept. A wrong token is not, either.
    if ((standing.token || tokenHash === null) && (await lookAtVersion()) === current && version === current)
      known.set(name, standing)
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
    letGo: () => watch.close(),
    takeUp() {
      watch.close()
      watches += 1
      watch = begin()
    },
    close: () => watch.close(),
  }
}
