// What every part of a pull works with, and what it reports.
import type { Client, Page } from '../client.ts'
import { VitrineError } from '../errors.ts'
import { resources as facts, type ResourceName } from '../resources.ts'
import { wait } from '../wait.ts'
import type { Progress } from '../../src/terminal/progress.ts'
import { Refused, type Mirror, type PulledRecord, type Store } from './store.ts'

export interface PullJob {
  readonly client: Client
  readonly store: Store
  // Names of resources. Empty: all that the key may read.
  readonly names: readonly string[]
  // As it is to be after this run.
  readonly mirror: Mirror
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
  readonly remark: (text: string) => void
  // Between retries when the service, or the database of the mirror, is lost.
  readonly pausesMs: readonly number[]
  readonly isWatching: boolean
}

export interface PullResult {
  readonly resource: string
  // The numbers of records that this run stored and removed.
  readonly changed: number
  readonly gone: number
  readonly total: number
}

// The change feed of the service, as a position of the mirror.
export const wholeFeed = '/changes'
export const feedOf = (name: string) => `${wholeFeed}/${name}`
export const isFeed = (position: string | null | undefined) => position?.startsWith(wholeFeed) ?? false

export class HasNoFeed extends Refused {
  constructor() {
    super(
      'This mirror follows the change feed, which the service does not have at present. Its operator can fix that ("vitrine check" says how); or read everything again without the feed, with --anew.',
    )
  }
}

// A page of a list that leaves nothing out.
export const listPage = async (
  { client, signal }: PullJob,
  name: ResourceName,
  query: Readonly<Record<string, string | number>>,
): Promise<Page<PulledRecord>> =>
  (await client.list(name, { ...facts[name].unfilteredQuery, ...query, signal })) as unknown as Page<PulledRecord>

// JSON.parse rounds larger numbers, so that the id could be another record's.
export function isKept({ remark }: PullJob, resource: string, id: number): boolean {
  if (Number.isSafeInteger(id)) return true
  remark(`${resource}: a record with an id beyond ${Number.MAX_SAFE_INTEGER.toLocaleString('en')} is left out.`)
  return false
}

// Retries a few times when the network is lost; with --watch, until the service is back.
export const withRetries = <Result>(job: PullJob, attempt: () => Promise<Result>): Promise<Result> =>
  retried(job, attempt, (error) =>
    error instanceof VitrineError
      ? error.code === 'network_error' || error.code === 'timed_out' || (job.isWatching && error.status >= 500)
      : job.isWatching && error instanceof HasNoFeed,
  )

// `attempt` is repeated after the failures that `isPassing` names: a few times; with --watch, until it succeeds.
export async function retried<Result>(
  { pausesMs, isWatching, signal, remark }: Pick<PullJob, 'pausesMs' | 'isWatching' | 'signal' | 'remark'>,
  attempt: () => Promise<Result>,
  isPassing: (error: unknown) => boolean,
): Promise<Result> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const pauseMs = pausesMs[isWatching ? Math.min(tries, pausesMs.length - 1) : tries]
      if (pauseMs === undefined || !isPassing(error)) throw error
      remark(`${(error as Error).message} The next attempt is in ${pauseMs / 1000} s.`)
      await wait(pauseMs, signal)
    }
  }
}
