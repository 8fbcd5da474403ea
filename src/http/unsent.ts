// Bounds the memory of answers that callers have not read, on all listeners together. A connection with too much unread data gets no
// further answers until it reads; one that reads nothing for 30 seconds (55 if it has many answers under way) is reset; when
// the total is too high, the connections that hold most are reset first.

// A connection, as far as this file needs it.
export interface Peer {
  readonly address: string
  end(why: 'unread' | 'crowded', waiting: { readonly answers: number; readonly waitedMs: number }): void
}

// The part of one request in all this.
export interface Turn {
  // Once there is room for its answer on the connection: whether it is still wanted. undefined: there is room already.
  readonly room: Promise<boolean> | undefined
  // The answer is made, and waits.
  hold(body: Uint8Array): void
  // Bytes of it were taken.
  took(): void
  // It was taken as a whole, or nobody wants it any more.
  leave(): void
}

export type Unsent = ReturnType<typeof createUnsent>

const [kilo, mega] = [1024, 1024 * 1024]

export const unsentLimits = {
  // Whatever else its caller sends meanwhile.
  mostWaitMs: 30_000,
  // However much a slow line was handed: a caller that reads nothing is gone within a minute.
  longestWaitMs: 55_000,
  // With HTTP/2 the pieces of up to 100 answers leave as one write of 1.6 MB, of which we hear only when all of it has gone. On a
  // line of 30 kB/s that takes a minute; half that speed leaves time for what the system has buffered before it.
  slowestBytesPerMs: 15,
  // Of everything that waits. Half of it would still hold 50 lists of 100 whose callers take nothing just now; twice as much would
  // break the promise that memory grows by less than 100 MB (bench/rows/unread.ts measures it, and the last two of these).
  mostBytes: 32 * mega,
  // Even then, a connection has this long to start reading.
  leastWaitMs: 250,
  // Of one connection.
  mostConnectionBytes: 4 * mega,
  // Assumed size of an answer in preparation, so that 64 are prepared at a time for one connection.
  expectedBytes: 64 * kilo,
  // What an answer and a connection take beside the bytes of the answer.
  answerBytes: 8 * kilo,
  connectionBytes: 64 * kilo,
}

// Of each answer so much is handed over to its connection at a time. What is handed over may be copied there and encrypted, and a
// caller that takes less than this in half a minute takes nothing.
export const pieceBytes = 16 * kilo

// An answer that waits, and what it counts for. Bytes that several answers share count for the first of them.
interface Held {
  readonly body: Uint8Array
  readonly bodyBytes: number
  readonly handedBytes: number
  readonly otherBytes: number
}

// The answers of one connection.
interface Line {
  readonly peer: Peer
  readonly held: Set<Held>
  // What they count for.
  bytes: number
  // What is handed over of them, at most.
  handedBytes: number
  // Requests whose answers are being made, and those that wait for room.
  making: number
  readonly queue: Set<(isWanted: boolean) => void>
  // When bytes of an answer were last taken, or the first of them began to wait.
  since: number
  // How long answers waited that were then given up: to take back a request is not to take its answer.
  waitedMs: number
  hasEnded: boolean
}

const newLine = (peer: Peer): Line => ({
  peer,
  held: new Set(),
  bytes: 0,
  handedBytes: 0,
  making: 0,
  queue: new Set(),
  since: 0,
  waitedMs: 0,
  hasEnded: false,
})

const sweepEveryMs = 100

function longestOf(lines: Iterable<Line>): Line | undefined {
  let longest: Line | undefined
  for (const line of lines) if (!longest || line.since < longest.since) longest = line
  return longest
}

export function createUnsent(limits = unsentLimits, now = () => performance.now()) {
  const lines = new WeakMap<Peer, Line>()
  const waiting = new Set<Line>()
  // How many answers share the same bytes.
  const sharers = new Map<Uint8Array, number>()
  let total = 0
  let timer: NodeJS.Timeout | undefined
  let isSweeping = false

  const hasRoom = ({ bytes, making }: Line) => bytes + making * limits.expectedBytes < limits.mostConnectionBytes

  const letIn = (line: Line) => {
    for (const begin of line.queue) {
      if (line.hasEnded || !hasRoom(line)) return
      line.queue.delete(begin)
      begin(true)
    }
  }

  const hold = (line: Line, body: Uint8Array): Held => {
    if (line.held.size === 0) {
      line.since = now() - line.waitedMs
      waiting.add(line)
      total += limits.connectionBytes
      timer ??= setInterval(() => void sweep(), sweepEveryMs).unref()
    }
    const others = sharers.get(body) ?? 0
    sharers.set(body, others + 1)
    const handedBytes = Math.min(pieceBytes, body.byteLength)
    const bodyBytes = others === 0 ? body.byteLength : 0
    const held = { body, bodyBytes, handedBytes, otherBytes: limits.answerBytes + handedBytes }
    line.held.add(held)
    line.bytes += held.bodyBytes + held.otherBytes
    line.handedBytes += handedBytes
    total += held.bodyBytes + held.otherBytes
    return held
  }

  const release = (line: Line, held: Held) => {
    if (!line.held.delete(held)) return
    const others = (sharers.get(held.body) ?? 0) - 1
    if (others > 0) sharers.set(held.body, others)
    else {
      sharers.delete(held.body)
      total -= held.body.byteLength
    }
    line.bytes -= held.bodyBytes + held.otherBytes
    line.handedBytes -= held.handedBytes
    total -= held.otherBytes
    if (line.held.size > 0) return
    line.waitedMs = now() - line.since
    waiting.delete(line)
    total -= limits.connectionBytes
  }

  // Its connection has gone: nothing of it waits any more.
  const giveUp = (line: Line) => {
    line.hasEnded = true
    for (const held of line.held) release(line, held)
    for (const begin of line.queue) begin(false)
    line.queue.clear()
  }

  const end = (line: Line, why: 'unread' | 'crowded') => {
    const [answers, waitedMs] = [line.held.size, now() - line.since]
    giveUp(line)
    line.peer.end(why, { answers, waitedMs })
  }

  // The connection to end when the total is too high: the longest-waiting one of the address with the greatest bytes² × time. Time
  // alone would end slow honest callers first, because a flood has only just begun; bytes alone would end a busy office that reads. The
  // square makes size decide: an address that holds ten times as much goes first unless the other has waited a hundred times as long.
  const heaviest = (): Line | undefined => {
    let found: { readonly line: Line; readonly weight: number } | undefined
    for (const ofAddress of Map.groupBy(waiting, ({ peer }) => peer.address).values()) {
      const bytes = ofAddress.reduce((sum, line) => sum + limits.connectionBytes + line.bytes, 0)
      const line = longestOf(ofAddress)
      const weight = line ? bytes ** 2 * (now() - line.since) : 0
      if (line && weight > (found?.weight ?? 0)) found = { line, weight }
    }
    return found && now() - found.line.since >= limits.leastWaitMs ? found.line : undefined
  }

  const patienceWith = ({ handedBytes }: Line) =>
    Math.max(limits.mostWaitMs, Math.min(limits.longestWaitMs, handedBytes / limits.slowestBytesPerMs))

  const nextToEnd = (): [Line, 'unread' | 'crowded'] | undefined => {
    for (const line of waiting) if (now() - line.since >= patienceWith(line)) return [line, 'unread']
    const heavy = total > limits.mostBytes ? heaviest() : undefined
    return heavy && [heavy, 'crowded']
  }

  // One connection in a turn of the event loop: to end one takes a while where it has a hundred streams.
  async function sweep(): Promise<void> {
    if (waiting.size === 0) close()
    if (isSweeping) return
    isSweeping = true
    try {
      for (let next = nextToEnd(); next; next = nextToEnd()) {
        end(...next)
        await new Promise(setImmediate)
      }
    } finally {
      isSweeping = false
    }
  }

  function close(): void {
    clearInterval(timer)
    timer = undefined
  }

  function enter(peer: Peer): Turn {
    const line = lines.get(peer) ?? newLine(peer)
    lines.set(peer, line)
    let held: Held | undefined
    let isMaking = false
    let settle: ((isWanted: boolean) => void) | undefined
    const begin = (isWanted: boolean) => {
      isMaking = isWanted
      if (isWanted) line.making += 1
      settle?.(isWanted)
    }
    const stopMaking = () => {
      if (isMaking) line.making -= 1
      isMaking = false
    }
    const isQueued = !hasRoom(line)
    if (isQueued) line.queue.add(begin)
    else begin(true)
    return {
      room: isQueued ? new Promise((resolve) => (settle = resolve)) : undefined,
      hold(body) {
        // Whoever has gone meanwhile gets no answer.
        if (!isMaking || line.hasEnded) return
        stopMaking()
        held = hold(line, body)
        letIn(line)
      },
      took() {
        line.since = now()
      },
      leave() {
        stopMaking()
        if (line.queue.delete(begin)) begin(false)
        if (held) release(line, held)
        letIn(line)
      },
    }
  }

  // `bytes`: what waits now, as it is counted here.
  return {
    enter,
    gone(peer: Peer): void {
      const line = lines.get(peer)
      if (line) giveUp(line)
    },
    sweep,
    close,
    bytes: () => total,
  }
}
