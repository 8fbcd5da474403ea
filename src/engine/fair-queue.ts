// Requests that wait for a reader. Keys are served in turn: however many requests one key sends, the request of another waits behind a
// few of them. Long requests of one key never take all readers. Nor do details of one batch key: while some are being read, the others
// wait and are then read together, unless there are enough of them for another reader.
import { mostInBatch } from './batches.ts'

export interface Waiting {
  // The access key.
  readonly key: string
  readonly isLong: boolean
  // Details with equal batch keys can be read together.
  readonly batchKey: string | undefined
}

// One request, or several that are read together.
export type Batch<Job> = readonly [Job, ...Job[]]

interface FairQueue<Job extends Waiting> {
  readonly size: () => number
  // Why the key may not add one more.
  whyFull(key: string): string | undefined
  push(job: Job): void
  remove(job: Job): void
  take(): Batch<Job> | undefined
  // To be called when what was taken is done.
  done(batch: Batch<Job>): void
  clear(): Job[]
}

// For each reader: beyond this, requests are refused at once. One key may have half as many.
const mostWaiting = 500

function add(counts: Map<string, number>, key: string, more: number): void {
  const count = (counts.get(key) ?? 0) + more
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}

export function createFairQueue<Job extends Waiting>(readers: number): FairQueue<Job> {
  // By line name, in the order in which they are served. A key has one line for each kind of request.
  const lines = new Map<string, Job[]>()
  const waitingByKey = new Map<string, number>()
  // By line name: how many readers are at work for it.
  const underWay = new Map<string, number>()
  const mostReaders = Math.max(1, readers - 1)
  let size = 0

  const kindOf = ({ isLong, batchKey }: Waiting) => (isLong ? 'long' : batchKey === undefined ? 'short' : 'batch')
  const nameOf = (job: Waiting) => `${kindOf(job)} ${job.key}${kindOf(job) === 'batch' ? ` ${job.batchKey}` : ''}`
  const count = (key: string, more: number) => {
    size += more
    add(waitingByKey, key, more)
  }
  const mustWait = (name: string, first: Job, { length }: readonly Job[]) => {
    const busy = underWay.get(name) ?? 0
    const kind = kindOf(first)
    return kind !== 'short' && (busy >= mostReaders || (kind === 'batch' && busy > 0 && length < mostInBatch))
  }
  // All lines of the key go to the end, so that several kinds of requests do not earn extra slots.
  const requeue = (name: string, key: string) => {
    const own = [...lines].filter(([other, [first]]) => first?.key === key && other !== name)
    for (const [each, line] of [...own, [name, lines.get(name) ?? []] as const]) {
      lines.delete(each)
      if (line.length > 0) lines.set(each, line)
    }
  }

  return {
    size: () => size,
    whyFull(key) {
      if (size >= mostWaiting * readers) return 'too many requests wait for a reader'
      if ((waitingByKey.get(key) ?? 0) >= (mostWaiting / 2) * readers)
        return 'too many requests of one key wait for a reader'
      return undefined
    },
    push(job) {
      const line = lines.get(nameOf(job)) ?? []
      lines.set(nameOf(job), line)
      line.push(job)
      count(job.key, 1)
    },
    remove(job) {
      const line = lines.get(nameOf(job))
      const at = line?.indexOf(job) ?? -1
      if (!line || at < 0) return
      line.splice(at, 1)
      if (line.length === 0) lines.delete(nameOf(job))
      count(job.key, -1)
    },
    take() {
      for (const [name, line] of lines) {
        const [first] = line
        if (!first || mustWait(name, first, line)) continue
        const batch = [first, ...line.splice(0, kindOf(first) === 'batch' ? mostInBatch : 1).slice(1)] as const
        count(first.key, -batch.length)
        add(underWay, name, 1)
        requeue(name, first.key)
        return batch
      }
      return undefined
    },
    done: ([job]) => add(underWay, nameOf(job), -1),
    clear() {
      const all = [...lines.values()].flat()
      lines.clear()
      waitingByKey.clear()
      size = 0
      return all
    },
  }
}
