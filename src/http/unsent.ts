// Bounds the memory of answers that callers have not read, on all listeners together. A connection with too much unread data gets no
// further answers until it reads; one that reads nothing for 30 seconds (55 if it has many answers under way) is reset; when
// the total is too high, the connections that hold most are reset first.

// The part of a connection that this file needs.
export interface UnsentPeer {
  readonly address: string
  end(why: 'unread' | 'crowded', waiting: { readonly answers: number; readonly waitedMs: number }): void
}

// The place of one request among the answers of its connection.
export interface AnswerSlot {
  // Resolves when the connection has room for the answer: true, or false if the answer is no longer wanted. undefined: there is
  // room now.
  readonly room: Promise<boolean> | undefined
  // The answer is ready and waits to be read.
  hold(body: Uint8Array): void
  // The caller has read some bytes of it.
  took(): void
  // The caller has read all of it, or has gone.
  leave(): void
}

export type Unsent = ReturnType<typeof createUnsent>

const [kilo, mega] = [1024, 1024 * 1024]

export const unsentLimits = {
  // Without reading, whatever else the caller sends meanwhile.
  mostWaitMs: 30_000,
  // For a slow line with much data under way.
  longestWaitMs: 55_000,
  // With HTTP/2 the pieces of up to 100 answers leave as one write of 1.6 MB, which is confirmed only as a whole. On a line of 30
  // kB/s that takes a minute; half that speed leaves time for data that the system has buffered before it.
  slowestBytesPerMs: 15,
  // All unread answers together. Half of it would still hold 50 lists of 100 records; twice as much would break the promise that
  // memory grows by less than 100 MB (bench/rows/unread.ts measures it, and the last two of these).
  mostBytes: 32 * mega,
  // Even above the total, a connection has this long to start reading.
  leastWaitMs: 250,
  // Of one connection.
  mostConnectionBytes: 4 * mega,
  // Assumed size of an answer in preparation, so that 64 are prepared at a time for one connection.
  expectedBytes: 64 * kilo,
  // Memory that an answer and a connection take beside the bytes of the answer.
  answerBytes: 8 * kilo,
  connectionBytes: 64 * kilo,
}

// The part of an answer that is handed to its connection at a time. The connection may copy and encrypt it. A caller that reads
// less than this in half a minute counts as reading nothing.
export const pieceBytes = 16 * kilo

// An unread answer and its share of the total. Bytes that several answers share count for the first of them.
interface HeldAnswer {
  readonly body: Uint8Array
  readonly bodyBytes: number
  readonly handedBytes: number
  readonly otherBytes: number
}

interface ConnectionAnswers {
  readonly peer: UnsentPeer
  readonly held: Set<HeldAnswer>
  // Their share of the total.
  bytes: number
  // An upper limit of the bytes handed over.
  handedBytes: number
  // The number of answers in preparation, and the requests that wait for room.
  making: number
  readonly queue: Set<(isWanted: boolean) => void>
  // When the caller last read bytes, or the first answer began to wait.
  since: number
  // The wait of answers that were then cancelled: cancelling a request is not reading its answer.
  waitedMs: number
  hasEnded: boolean
}

const newConnection = (peer: UnsentPeer): ConnectionAnswers => ({
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

function longestOf(connections: Iterable<ConnectionAnswers>): ConnectionAnswers | undefined {
  let longest: ConnectionAnswers | undefined
  for (const each of connections) if (!longest || each.since < longest.since) longest = each
  return longest
}

export function createUnsent(limits = unsentLimits, now = () => performance.now()) {
  const connections = new WeakMap<UnsentPeer, ConnectionAnswers>()
  const waiting = new Set<ConnectionAnswers>()
  // The number of answers that share the same bytes.
  const sharers = new Map<Uint8Array, number>()
  let total = 0
  let timer: NodeJS.Timeout | undefined
  let isSweeping = false

  const hasRoom = ({ bytes, making }: ConnectionAnswers) =>
    bytes + making * limits.expectedBytes < limits.mostConnectionBytes

  const admitWaiting = (connection: ConnectionAnswers) => {
    for (const begin of connection.queue) {
      if (connection.hasEnded || !hasRoom(connection)) return
      connection.queue.delete(begin)
      begin(true)
    }
  }

  const hold = (connection: ConnectionAnswers, body: Uint8Array): HeldAnswer => {
    if (connection.held.size === 0) {
      connection.since = now() - connection.waitedMs
      waiting.add(connection)
      total += limits.connectionBytes
      timer ??= setInterval(() => void sweep(), sweepEveryMs).unref()
    }
    const others = sharers.get(body) ?? 0
    sharers.set(body, others + 1)
    const handedBytes = Math.min(pieceBytes, body.byteLength)
    const bodyBytes = others === 0 ? body.byteLength : 0
    const held = { body, bodyBytes, handedBytes, otherBytes: limits.answerBytes + handedBytes }
    connection.held.add(held)
    connection.bytes += held.bodyBytes + held.otherBytes
    connection.handedBytes += handedBytes
    total += held.bodyBytes + held.otherBytes
    return held
  }

  const release = (connection: ConnectionAnswers, held: HeldAnswer) => {
    if (!connection.held.delete(held)) return
    const others = (sharers.get(held.body) ?? 0) - 1
    if (others > 0) sharers.set(held.body, others)
    else {
      sharers.delete(held.body)
      total -= held.body.byteLength
    }
    connection.bytes -= held.bodyBytes + held.otherBytes
    connection.handedBytes -= held.handedBytes
    total -= held.otherBytes
    if (connection.held.size > 0) return
    connection.waitedMs = now() - connection.since
    waiting.delete(connection)
    total -= limits.connectionBytes
  }

  // The connection has gone.
  const discard = (connection: ConnectionAnswers) => {
    connection.hasEnded = true
    for (const held of connection.held) release(connection, held)
    for (const begin of connection.queue) begin(false)
    connection.queue.clear()
  }

  const end = (connection: ConnectionAnswers, why: 'unread' | 'crowded') => {
    const [answers, waitedMs] = [connection.held.size, now() - connection.since]
    discard(connection)
    connection.peer.end(why, { answers, waitedMs })
  }

  // The connection to end when the total is too high: the longest-waiting one of the address with the greatest bytes² × time. Time
  // alone would end slow honest callers first, because a flood has only just begun; bytes alone would end a busy office that reads. The
  // square makes size decide: an address that holds ten times as much goes first unless the other has waited a hundred times as long.
  const heaviest = (): ConnectionAnswers | undefined => {
    let heaviestSoFar: { readonly connection: ConnectionAnswers; readonly weight: number } | undefined
    for (const ofAddress of Map.groupBy(waiting, ({ peer }) => peer.address).values()) {
      const bytes = ofAddress.reduce((sum, connection) => sum + limits.connectionBytes + connection.bytes, 0)
      const connection = longestOf(ofAddress)
      const weight = connection ? bytes ** 2 * (now() - connection.since) : 0
      if (connection && weight > (heaviestSoFar?.weight ?? 0)) heaviestSoFar = { connection, weight }
    }
    const { connection } = heaviestSoFar ?? {}
    return connection && now() - connection.since >= limits.leastWaitMs ? connection : undefined
  }

  const patienceWith = ({ handedBytes }: ConnectionAnswers) =>
    Math.max(limits.mostWaitMs, Math.min(limits.longestWaitMs, handedBytes / limits.slowestBytesPerMs))

  const nextToEnd = (): [ConnectionAnswers, 'unread' | 'crowded'] | undefined => {
    for (const connection of waiting)
      if (now() - connection.since >= patienceWith(connection)) return [connection, 'unread']
    const heavy = total > limits.mostBytes ? heaviest() : undefined
    return heavy && [heavy, 'crowded']
  }

  // One connection in each iteration of the event loop, because ending one with a hundred streams takes long.
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

  function enter(peer: UnsentPeer): AnswerSlot {
    const connection = connections.get(peer) ?? newConnection(peer)
    connections.set(peer, connection)
    let held: HeldAnswer | undefined
    let isMaking = false
    let settle: ((isWanted: boolean) => void) | undefined
    const begin = (isWanted: boolean) => {
      isMaking = isWanted
      if (isWanted) connection.making += 1
      settle?.(isWanted)
    }
    const stopMaking = () => {
      if (isMaking) connection.making -= 1
      isMaking = false
    }
    const isQueued = !hasRoom(connection)
    if (isQueued) connection.queue.add(begin)
    else begin(true)
    return {
      room: isQueued ? new Promise((resolve) => (settle = resolve)) : undefined,
      hold(body) {
        // The caller may have gone meanwhile.
        if (!isMaking || connection.hasEnded) return
        stopMaking()
        held = hold(connection, body)
        admitWaiting(connection)
      },
      took() {
        connection.since = now()
      },
      leave() {
        stopMaking()
        if (connection.queue.delete(begin)) begin(false)
        if (held) release(connection, held)
        admitWaiting(connection)
      },
    }
  }

  return {
    enter,
    gone(peer: UnsentPeer): void {
      const connection = connections.get(peer)
      if (connection) discard(connection)
    },
    sweep,
    close,
    // The unread bytes of all connections.
    bytes: () => total,
  }
}
