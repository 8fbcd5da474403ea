// Copies again and again, with a pause after each round that is at least as long as the round. A round that fails changes nothing, and
// the next one tries again.
import { setTimeout as wait } from 'node:timers/promises'
import { faultText, type Faults } from '../import/files.ts'
import type { DatabaseUrl } from '../../settings/types.ts'
import { secondsSince } from '../progress.ts'
import type { KeptOutCount } from './kept-out.ts'
import type { WaitingRelation } from './losses.ts'
import { copyOnce, prepareCopy, type CopyOptions, type CopyResult } from './run.ts'

const counted = ['read', 'new', 'changed', 'deleted'] as const

type CopyTotals = Readonly<Record<(typeof counted)[number], number>>

export const noRows: CopyTotals = { read: 0, new: 0, changed: 0, deleted: 0 }

export const addTotals = (one: CopyTotals, other: CopyTotals) =>
  Object.fromEntries(counted.map((name) => [name, one[name] + other[name]])) as CopyTotals

export interface CopyRound extends CopyTotals {
  // When it began, in milliseconds since 1970.
  readonly at: number
  readonly seconds: number
  readonly is_whole: boolean
  // Columns with floating-point numbers that were not copied exactly; absent: none.
  readonly rounded?: readonly string[]
  // Wrong rows that are kept out, and relations that wait because they would lose most of their rows; absent: none.
  readonly kept_out?: readonly KeptOutCount[]
  readonly waiting?: readonly WaitingRelation[]
}

export type CopyEvent =
  | ({ readonly event: 'copied' } & CopyRound)
  | { readonly event: 'copy_failed'; readonly at: number; readonly seconds: number; readonly problem: string }
  | { readonly event: 'copy_remark'; readonly at: number; readonly remark: string }
  | { readonly event: 'copying'; readonly what: string; readonly done: number; readonly total: number }

export interface LoopOptions extends Omit<CopyOptions, 'onProgress' | 'onCommit' | 'remark'> {
  readonly everyMs: number
  readonly onEvent: (event: CopyEvent) => void
}

// Returns when the signal is aborted.
export async function keepCopying(url: DatabaseUrl, { everyMs, onEvent, ...options }: LoopOptions): Promise<void> {
  const { signal, clock } = options
  let isPrepared = false
  while (!signal.aborted) {
    const [at, startedAt] = [clock.now(), performance.now()]
    const tookMs = () => performance.now() - startedAt
    try {
      if (!isPrepared) await prepareCopy(url, options.from)
      isPrepared = true
      const result = await copyOnce(url, {
        ...options,
        onProgress: (progress) => onEvent({ event: 'copying', ...progress }),
        onCommit() {},
        remark: (remark) => onEvent({ event: 'copy_remark', at: clock.now(), remark }),
      })
      const seconds = secondsSince(startedAt)
      onEvent(
        'faults' in result
          ? { event: 'copy_failed', at, seconds, problem: faultsText(result.faults) }
          : { event: 'copied', at, seconds, ...totalsOf(result) },
      )
    } catch (error) {
      if (signal.aborted) return
      onEvent({ event: 'copy_failed', at, seconds: secondsSince(startedAt), problem: (error as Error).message })
    }
    await wait(Math.max(everyMs - tookMs(), tookMs()), undefined, { signal }).catch(() => {})
  }
}

const shownFaults = 3

function faultsText({ first, count }: Faults): string {
  const rest = count - shownFaults
  return [...first.slice(0, shownFaults).map(faultText), ...(rest > 0 ? [`and ${rest} more faults.`] : [])].join(' ')
}

const totalsOf = ({ is_whole, relations, rounded, kept_out, waiting }: CopyResult) => ({
  is_whole,
  ...relations.reduce(addTotals, noRows),
  ...(rounded.length > 0 ? { rounded: rounded.map(({ relation, column }) => `${relation}.${column}`) } : {}),
  ...(kept_out.length > 0 ? { kept_out } : {}),
  ...(waiting.length > 0 ? { waiting } : {}),
})
