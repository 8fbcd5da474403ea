// What a row of the benchmark is: a name, what it is measured in, its target, and how it is measured.
import type { Bench } from '../bench.ts'
import type { EngineName } from '../company.ts'

/** `of bare` and `×` are ratios. */
export type Unit = 'of bare' | '×' | 'ms' | 'MB' | 's' | 'records/s' | 'requests/s' | 'objects'

export interface Measured {
  readonly value: number
  /** What the value was made of, by name with its unit. */
  readonly raw: Readonly<Record<string, number>>
  /** What a reader should know about this line of this run. */
  readonly note?: string
  /** The page that was compared with the first, where that is what is measured. */
  readonly deepestPage?: number
  /** The same of the hand-written service. */
  readonly peer?: { readonly value: number; readonly raw: Readonly<Record<string, number>> }
}

export interface Row {
  readonly name: string
  readonly unit: Unit
  readonly target: Readonly<Record<EngineName, number>>
  /** Whether more is better. */
  readonly isLeast?: boolean
  /** Where it is measured; everywhere, if it does not say. */
  readonly engines?: readonly EngineName[]
  /** Measured while the POS writes. */
  readonly isWriting?: boolean
  /** Takes a minute, or needs a large company: left out of a quick run, unless it is asked for. */
  readonly isLong?: boolean
  measure(bench: Bench): Promise<Measured>
}

export const both = (target: number): Row['target'] => ({ sqlite: target, postgres: target })

export const round = (value: number) => Number(value.toPrecision(4))
