// A position of the change feed in the journal of a PostgreSQL database, as a text that is short enough for a cursor: transactions are
// written as differences, in five bits a character.

// What a snapshot shows: every transaction below `xmax` except the running ones.
export interface SeenTransactions {
  readonly xmax: string
  // In order of their numbers.
  readonly running: readonly string[]
}

// Everything that A (`read`) shows was read, and what B (`reading`) shows is being read, from a place in the order of the journal's key on.
// When nothing of B is left, A becomes B, and B the snapshot that is asked.
export interface Position {
  readonly read: SeenTransactions
  // Shows all that A shows.
  readonly reading: SeenTransactions
  // The key (xid, seq) of the last row that was read.
  readonly place: readonly [xid: string, seq: string]
  // Of the newest rows that B shows.
  readonly tags: string
  // Of the journal: positions of another one mean nothing here.
  readonly history: string
}

// `xmin:xmax:running`, as PostgreSQL writes a snapshot.
export function parseSnapshot(text: string): SeenTransactions {
  const [, xmax = '', xip = ''] = text.split(':')
  return { xmax, running: xip === '' ? [] : inOrder(xip.split(',')) }
}

const inOrder = (transactions: readonly string[]) =>
  transactions.toSorted((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1))

// Whether a snapshot shows everything that another one shows.
export function showsAll(one: SeenTransactions, other: SeenTransactions): boolean {
  const isHiddenInOther = (xid: string) => BigInt(xid) >= BigInt(other.xmax) || other.running.includes(xid)
  return BigInt(one.xmax) >= BigInt(other.xmax) && one.running.every(isHiddenInOther)
}

export const oldestUnseen = ({ xmax, running }: SeenTransactions) => running[0] ?? xmax

export const isSame = (one: SeenTransactions, other: SeenTransactions) =>
  one.xmax === other.xmax && one.running.join() === other.running.join()

// Characters of one snapshot, and of two. Thirty running transactions fit even if a million others began between each of them and the next,
// and about 150 of a busy server. A place takes up to 26 characters more.
const longestAlone = 180
const longestPair = 244

// A snapshot that fits into a position, after A. If too many transactions are running, those from the next one on count as not seen: they
// come later. Never less than A shows: where that does not fit, A itself, until one of its transactions has ended.
export function shortened({ xmax, running }: SeenTransactions, read?: SeenTransactions): SeenTransactions {
  for (let count = Math.min(running.length, longestAlone); ; count -= 1) {
    const seen = { xmax: running[count] ?? xmax, running: running.slice(0, count) }
    const isShort = pack(numbersOf(seen)).length <= longestAlone
    const fits = isShort && (!read || pack([...numbersOf(read), ...numbersAfter(read, seen)]).length <= longestPair)
    if (fits || count === 0) return read && !showsAll(seen, read) ? read : seen
  }
}

export function writePosition({ read, reading, place, tags, history }: Position): string {
  const pair = isSame(read, reading) ? [0n] : [1n, ...numbersAfter(read, reading)]
  const [xid, seq] = [BigInt(place[0]) - BigInt(oldestUnseen(read)), BigInt(place[1])]
  return `${pack([...numbersOf(read), ...pair, xid, seq])} ${tags} ${history}`
}

// Undefined if it was written in another way.
export function parsePosition(text: string): Position | undefined {
  const [, packed, tags, history] = /^([\w-]+) (\w+) (.*)$/.exec(text) ?? []
  if (packed === undefined || tags === undefined || history === undefined) return undefined
  const next = unpack(packed)
  const read = readSnapshot(next, 0n, [])
  const reading = next() === 0n ? read : readSnapshot(next, BigInt(read.xmax), stillRunning(read, next()))
  return { read, reading, place: [String(BigInt(oldestUnseen(read)) + next()), String(next())], tags, history }
}

// How many are running, and then each as its difference from the one before, the last of them `xmax`.
function numbersOf({ xmax, running }: SeenTransactions, from = 0n): bigint[] {
  const all = [...running, xmax].map(BigInt)
  return [BigInt(running.length), ...all.map((each, at) => each - (all[at - 1] ?? from))]
}

// B after A: as bits, the transactions running in A that still run in B; then those that began since.
function numbersAfter({ xmax, running }: SeenTransactions, reading: SeenTransactions): bigint[] {
  const still = new Set(reading.running)
  const bits = running.reduce((sum, xid, at) => (still.has(xid) ? sum | (1n << BigInt(at)) : sum), 0n)
  const others = reading.running.filter((xid) => BigInt(xid) >= BigInt(xmax))
  return [bits, ...numbersOf({ xmax: reading.xmax, running: others }, BigInt(xmax))]
}

const stillRunning = ({ running }: SeenTransactions, bits: bigint) =>
  running.filter((_, at) => (bits >> BigInt(at)) % 2n === 1n)

function readSnapshot(next: () => bigint, from: bigint, known: readonly string[]): SeenTransactions {
  let last = from
  const following = () => String((last += next()))
  const running = Array.from({ length: Number(next()) }, following)
  return { xmax: following(), running: [...known, ...running] }
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

// Five bits a character, the lowest first; the sixth says that more follow.
function pack(numbers: readonly bigint[]): string {
  let text = ''
  for (let rest of numbers) {
    for (; rest >= 32n; rest >>= 5n) text += digits[Number(rest % 32n) + 32]
    text += digits[Number(rest)]
  }
  return text
}

// → the next number, whenever it is called.
function unpack(text: string): () => bigint {
  let at = 0
  return () => {
    let [number, shift] = [0n, 0n]
    for (;;) {
      const digit = digits.indexOf(text[at] ?? 'A')
      at += 1
      number |= BigInt(digit % 32) << shift
      if (digit < 32) return number
      shift += 5n
    }
  }
}
