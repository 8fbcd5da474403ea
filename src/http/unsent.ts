// Bounds the memory of answers that callers have not read, on all listeners together. An answer is handed to its connection whole while
// the connection takes it, else in pieces. All connections are looked at once a second: one that takes nothing for 30 seconds is reset;
// if too much is unread in all, those that have waited longest are reset, too.

// The part of a connection that this file needs.
export interface UnsentPeer {
  end(why: 'unread' | 'crowded', waiting: { readonly answers: number; readonly waitedMs: number }): void
}

// The unread answers of a connection.
export interface Backlog {
  readonly peer: UnsentPeer
  readonly held: Set<AnswerSlot>
  handedBytes: number
  // Since the last look.
  hasTaken: boolean
  // At the last look.
  wasWaiting: boolean
  waitedMs: number
}

export type Unsent = ReturnType<typeof createUnsent>

const [kilo, mega] = [1024, 1024 * 1024]

export const unsentLimits = {
  // Without taking anything, whatever else the caller sends meanwhile.
  mostWaitMs: 30_000,
  // All unread answers together. Twice as much would break the promise that memory grows by less than 100 MB (bench/rows/unread.ts
  // measures it, and the next two).
  mostBytes: 32 * mega,
  // Memory that an answer and a connection take beside the bytes of the answer.
  answerBytes: 8 * kilo,
  connectionBytes: 64 * kilo,
}

// What is handed to a connection is copied and encrypted, and HTTP/2 tells only of all of it that it was taken. Each of several answers
// gets half of what is left of this, or a 64th: 100 at once are taken within the 30 seconds on a line of 30 kB/s.
export const mostHandedBytes = 256 * kilo
export const leastHandedBytes = mostHandedBytes / 64

export const lookEveryMs = 1000
const everySecond = (look: () => void) => setInterval(look, lookEveryMs).unref()

// The place of one answer on its connection.
export class AnswerSlot {
  readonly backlog: Backlog
  body: Uint8Array | undefined
  handedBytes = 0

  constructor(backlog: Backlog) {
    this.backlog = backlog
  }

  // The answer is ready and waits to be read.
  hold(body: Uint8Array): void {
    this.body = body
    this.backlog.held.add(this)
  }

  // How many of the bytes that are left are handed to the connection now.
  hand(left: number): number {
    const room = (mostHandedBytes - this.backlog.handedBytes) >> 1
    const bytes = Math.min(left, Math.max(leastHandedBytes, room))
    this.handedBytes += bytes
    this.backlog.handedBytes += bytes
    return bytes
  }

  // The caller has taken what was handed over.
  took(): void {
    this.backlog.handedBytes -= this.handedBytes
    this.backlog.hasTaken = true
    this.handedBytes = 0
  }

  // The caller has read all of it, or has gone.
  leave(): void {
    this.backlog.handedBytes -= this.handedBytes
    this.backlog.held.delete(this)
  }
}

const isWaiting = ({ held }: Backlog) => held.size > 0
const sum = (sizes: Iterable<number>) => Iterator.from(sizes).reduce((total, bytes) => total + bytes, 0)

export function createUnsent(
  limits = unsentLimits,
  every: (look: () => void) => NodeJS.Timeout | undefined = everySecond,
) {
  const backlogs = new Set<Backlog>()

  // The bytes of each waiting connection. Those that several answers share are divided among them.
  const measure = (): Map<Backlog, number> => {
    const waiting = [...backlogs].filter(isWaiting)
    const sharers = new Map<Uint8Array | undefined, number>()
    for (const { held } of waiting) for (const { body } of held) sharers.set(body, (sharers.get(body) ?? 0) + 1)
    const bytesOf = ({ body, handedBytes }: AnswerSlot) =>
      limits.answerBytes + handedBytes + Math.trunc((body?.byteLength ?? 0) / (sharers.get(body) ?? 1))
    return new Map(waiting.map((each) => [each, limits.connectionBytes + sum(each.held.values().map(bytesOf))]))
  }

  // Those to end for the sake of the others: who has waited longest first. Who holds less than the mean is not to blame.
  const crowding = (): Backlog[] => {
    const sizes = measure()
    const total = sum(sizes.values())
    let excess = total - limits.mostBytes
    return [...sizes]
      .filter(([, bytes]) => bytes >= total / sizes.size)
      .toSorted(([one, bytes], [other, more]) => other.waitedMs - one.waitedMs || more - bytes)
      .filter(([, bytes]) => (excess -= bytes) + bytes > 0)
      .map(([each]) => each)
  }

  // One in each iteration of the event loop, because ending a connection with a hundred streams takes long.
  const end = async (some: readonly Backlog[], why: 'unread' | 'crowded') => {
    for (const each of some) backlogs.delete(each)
    for (const { peer, held, waitedMs } of some) {
      // It may have gone meanwhile.
      if (held.size > 0) peer.end(why, { answers: held.size, waitedMs })
      await new Promise(setImmediate)
    }
  }

  const look = async () => {
    for (const each of backlogs) {
      if (each.hasTaken) each.waitedMs = 0
      // Even if it has given up its answers meanwhile: that is not taking them.
      else if (each.wasWaiting) each.waitedMs += lookEveryMs
      each.hasTaken = false
      each.wasWaiting = isWaiting(each)
    }
    const unread = end(
      [...backlogs].filter((each) => isWaiting(each) && each.waitedMs >= limits.mostWaitMs),
      'unread',
    )
    await Promise.all([unread, end(crowding(), 'crowded')])
  }

  const timer = every(() => void look())
  return {
    open(peer: UnsentPeer): Backlog {
      const backlog = {
        peer,
        held: new Set<AnswerSlot>(),
        handedBytes: 0,
        hasTaken: false,
        wasWaiting: false,
        waitedMs: 0,
      }
      backlogs.add(backlog)
      return backlog
    },
    // Of several pipelined requests, Node.js closes only the first response.
    gone: (backlog: Backlog): void => {
      backlog.held.clear()
      backlogs.delete(backlog)
    },
    look,
    close: (): void => clearInterval(timer),
    // The unread bytes of all connections.
    bytes: () => sum(measure().values()),
  }
}
