// Who waits for a reader, and whose turn it is: keys are served in turn, so that however many requests one of them sends,
// another's waits behind a few and not behind all. Requests that may take long stand apart from the others, and those of one
// key never take the last reader.

export interface Waiting {
  // Who asks: the access key.
  readonly key: string
  readonly isLong: boolean
}

interface FairQueue<Job extends Waiting> {
  readonly size: () => number
  // Why there is no room for one more of this key.
  whyNot(key: string): string | undefined
  push(job: Job): void
  // Back to where it was: it had its turn, and lost its reader.
  putBack(job: Job): void
  remove(job: Job): void
  // The next in turn; a long one only if it is wanted, and if its key has not too many under way.
  take(wants: 'any' | 'short'): Job | undefined
  // A long one that was taken is done.
  done(job: Job): void
  clear(): Job[]
}

// More than so many for each reader are refused at once instead of piling up; one key alone may have half as many.
const mostWaiting = 500

function add(counts: Map<string, number>, key: string, more: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + more
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}

export function createFairQueue<Job extends Waiting>(readers: number): FairQueue<Job> {
  // One for each key and kind, in the order of their turns.
  const lines = new Map<string, Job[]>()
  const waitingOf = new Map<string, number>()
  const longOf = new Map<string, number>()
  const mostLong = Math.max(1, readers - 1)
  let size = 0

  const nameOf = ({ key, isLong }: Waiting) => `${isLong ? 'long' : 'short'} ${key}`
  const count = (key: string, more: 1 | -1) => {
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
        if (!first || (first.isLong && (wants === 'short' || (longOf.get(first.key) ?? 0) >= mostLong))) continue
        line.shift()
        count(first.key, -1)
        if (first.isLong) add(longOf, first.key, 1)
        // To the end of the turns.
        lines.delete(name)
        if (line.length > 0) lines.set(name, line)
        return first
      }
      return undefined
    },
    done(job) {
      if (job.isLong) add(longOf, job.key, -1)
    },
    clear() {
      const all = [...lines.values()].flat()
      lines.clear()
      waitingOf.clear()
      size = 0
      return all
    },
  }
}
