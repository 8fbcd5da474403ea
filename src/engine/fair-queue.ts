// Who waits for a reader, and whose turn it is: keys are served in turn, so that however many requests one of them sends,
// another's waits behind a few and not behind all. Requests that may take long stand apart from the others, and those of one
// key never take the last reader. Records that are asked for alike stand apart, too, and do not take it either: while some of them
// are being read, the others wait and are then read together, unless there are enough of them for another reader.
import { mostAlike } from './alike.ts'

export interface Waiting {
  // Who asks: the access key.
  readonly key: string
  readonly isLong: boolean
  // Those with the same one can be read together.
  readonly alike: string | undefined
}

// One, or several that are to be read together.
export type Group<Job> = readonly [Job, ...Job[]]

interface FairQueue<Job extends Waiting> {
  readonly size: () => number
  // Why there is no room for one more of this key.
  whyNot(key: string): string | undefined
  push(job: Job): void
  // Back to where it was: it had its turn, and lost its reader.
  putBack(job: Job): void
  remove(job: Job): void
  // The next in turn; `short`: only what is neither long nor a record.
  take(wants: 'any' | 'short'): Group<Job> | undefined
  // What was taken is done; any job of the group will do.
  done(group: Group<Job>): void
  clear(): Job[]
}

// More than so many for each reader are refused at once instead of piling up; one key alone may have half as many.
const mostWaiting = 500

function add(counts: Map<string, number>, key: string, more: number): void {
  const count = (counts.get(key) ?? 0) + more
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}

export function createFairQueue<Job extends Waiting>(readers: number): FairQueue<Job> {
  // One for each key and kind, in the order of their turns.
  const lines = new Map<string, Job[]>()
  const waitingOf = new Map<string, number>()
  // How many groups of each are under way.
  const underWay = new Map<string, number>()
  const mostAtOnce = Math.max(1, readers - 1)
  let size = 0

  const kindOf = ({ isLong, alike }: Waiting) => (isLong ? 'long' : alike === undefined ? 'short' : 'alike')
  const nameOf = (job: Waiting) => `${kindOf(job)} ${job.key}${kindOf(job) === 'alike' ? ` ${job.alike}` : ''}`
  const count = (key: string, more: number) => {
    size += more
    add(waitingOf, key, more)
  }
  const lineOf = (job: Job) => {
    const name = nameOf(job)
    const line = lines.get(name) ?? []
    lines.set(name, line)
    count(job.key, 1)
    return line
  }
  const mustWait = (name: string, first: Job, { length }: readonly Job[]) => {
    const busy = underWay.get(name) ?? 0
    switch (kindOf(first)) {
      case 'long':
        return busy >= mostAtOnce
      case 'alike':
        return busy >= mostAtOnce || (busy > 0 && length < mostAlike)
      default:
        return false
    }
  }
  // To the end of the turns, with all else of its key: it has no more of them for asking for more kinds of things.
  const endTurn = (name: string, key: string) => {
    const own = [...lines].filter(([other, [first]]) => first?.key === key && other !== name)
    for (const [each, line] of [...own, [name, lines.get(name) ?? []] as const]) {
      lines.delete(each)
      if (line.length > 0) lines.set(each, line)
    }
  }

  return {
    size: () => size,
    whyNot(key) {
      if (size >= mostWaiting * readers) return 'too many requests wait for a reader'
      if ((waitingOf.get(key) ?? 0) >= (mostWaiting / 2) * readers)
        return 'too many requests of one key wait for a reader'
      return undefined
    },
    push: (job) => void lineOf(job).push(job),
    putBack: (job) => void lineOf(job).unshift(job),
    remove(job) {
      const line = lines.get(nameOf(job))
      const at = line?.indexOf(job) ?? -1
      if (!line || at < 0) return
      line.splice(at, 1)
      if (line.length === 0) lines.delete(nameOf(job))
      count(job.key, -1)
    },
    take(wants) {
      for (const [name, line] of lines) {
        const [first] = line
        if (!first || (wants === 'short' && kindOf(first) !== 'short') || mustWait(name, first, line)) continue
        const group = [first, ...line.splice(0, kindOf(first) === 'alike' ? mostAlike : 1).slice(1)] as const
        count(first.key, -group.length)
        add(underWay, name, 1)
        endTurn(name, first.key)
        return group
      }
      return undefined
    },
    done: ([job]) => add(underWay, nameOf(job), -1),
    clear() {
      const all = [...lines.values()].flat()
      lines.clear()
      waitingOf.clear()
      size = 0
      return all
    },
  }
}
