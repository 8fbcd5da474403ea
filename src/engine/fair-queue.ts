// Requests that wait for a reader. Keys are served in turn: however many requests one key sends, the request of another waits behind a
// few of them. Long requests of one key never take all readers. Nor do details of one batch key: while some are being read, the others
// wait and are then read together, unless there are enough of them for another reader. Requests with the same answer share one reading. A
// request does not join a reading that has begun, because that may be older than the request.
import { mostInBatch, type Batch } from './batches.ts'

export interface QueueEntry {
  // The access key.
  readonly key: string
  readonly isLong: boolean
  // Details with equal batch keys can be read together.
  readonly batchKey: string | undefined
  readonly answerKey: string
}

// For each reader: beyond this, requests are refused at once. One key may have half as many.
const mostWaiting = 500

export function createFairQueue<Job extends QueueEntry>(readers: number) {
  // By line name, in the order in which they are served. A key has one line for each kind of request.
  const lines = new Map<string, Job[]>()
  // By answer key.
  const waiting = new Map<string, Set<Job>>()
  // By line name: how many readers are at work for it.
  const underWay = new Map<string, number>()
  const mostReaders = Math.max(1, readers - 1)

  const kindOf = ({ isLong, batchKey }: QueueEntry) => (isLong ? 'long' : batchKey === undefined ? 'short' : 'batch')
  const nameOf = (job: QueueEntry) => `${kindOf(job)} ${job.key}${kindOf(job) === 'batch' ? ` ${job.batchKey}` : ''}`
  const count = (some: readonly (readonly Job[])[]) => some.reduce((sum, line) => sum + line.length, 0)
  const linesOf = (key: string) => [...lines].filter(([, [first]]) => first?.key === key)
  const size = () => count([...lines.values()])
  const add = (job: Job) => {
    const line = lines.get(nameOf(job)) ?? []
    line.push(job)
    lines.set(nameOf(job), line)
    waiting.set(job.answerKey, (waiting.get(job.answerKey) ?? new Set()).add(job))
  }
  const forget = (job: Job) => {
    const same = waiting.get(job.answerKey)
    same?.delete(job)
    if (same?.size === 0) waiting.delete(job.answerKey)
  }
  const remove = (job: Job) => {
    const line = lines.get(nameOf(job))
    const at = line?.indexOf(job) ?? -1
    if (!line || at < 0) return
    line.splice(at, 1)
    if (line.length === 0) lines.delete(nameOf(job))
    forget(job)
  }
  const mustWait = (name: string, first: Job, { length }: readonly Job[]) => {
    const busy = underWay.get(name) ?? 0
    const kind = kindOf(first)
    return kind !== 'short' && (busy >= mostReaders || (kind === 'batch' && busy > 0 && length < mostInBatch))
  }
  // All lines of the key go to the end, so that several kinds of requests do not earn extra slots.
  const requeue = (name: string, key: string) => {
    const others = linesOf(key).filter(([other]) => other !== name)
    for (const [each, line] of [...others, [name, lines.get(name) ?? []] as const]) {
      lines.delete(each)
      if (line.length > 0) lines.set(each, line)
    }
  }

  return {
    size,
    // Why the key may not add one more.
    whyFull(key: string): string | undefined {
      if (size() >= mostWaiting * readers) return 'too many requests wait for a reader'
      if (count(linesOf(key).map(([, line]) => line)) >= (mostWaiting / 2) * readers)
        return 'too many requests of one key wait for a reader'
      return undefined
    },
    push: add,
    // To the front, in the same order: a reader took them and did not begin. Their lines have lost a turn, and are served next.
    putBack(jobs: readonly Job[]): void {
      const others = [...lines]
      lines.clear()
      for (const job of jobs) add(job)
      for (const [name, line] of others) lines.set(name, [...(lines.get(name) ?? []), ...line])
    },
    remove,
    // `short`: neither a long request nor details.
    take(kind: 'any' | 'short'): Batch<Job> | undefined {
      for (const [name, line] of lines) {
        const [first] = line
        if (!first || (kind === 'short' && kindOf(first) !== 'short') || mustWait(name, first, line)) continue
        const batch = [first, ...line.splice(0, kindOf(first) === 'batch' ? mostInBatch : 1).slice(1)] as const
        underWay.set(name, (underWay.get(name) ?? 0) + 1)
        requeue(name, first.key)
        for (const job of batch) forget(job)
        // Removed one after the other: two of the batch may have the same answer.
        const same = batch.flatMap(({ answerKey }) => {
          const others = [...(waiting.get(answerKey) ?? [])]
          others.forEach(remove)
          return others
        })
        return [...batch, ...same]
      }
      return undefined
    },
    // To be called once the batch is answered.
    done([job]: Batch<Job>): void {
      const left = (underWay.get(nameOf(job)) ?? 0) - 1
      if (left > 0) underWay.set(nameOf(job), left)
      else underWay.delete(nameOf(job))
    },
    clear(): Job[] {
      const all = [...lines.values()].flat()
      lines.clear()
      waiting.clear()
      return all
    },
  }
}
