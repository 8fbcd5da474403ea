// A row of the benchmark: its name, its unit, its target and how it is measured.
import type { Bench } from '../bench.ts'
import type { EngineName } from '../company.ts'

/** `of bare` and `×` are ratios. */
export type Unit = 'of bare' | '×' | 'ms' | 'MB' | 's' | 'records/s' | 'requests/s' | 'objects'

export interface Measured {
  readonly value: number
  /** The figures behind the value; each name includes its unit. */
  readonly raw: Readonly<Record<string, number>>
  /** A remark about this row in this run. */
  readonly note?: string
  /** Rows on depth: the page that was compared with the first. */
  readonly deepestPage?: number
  /** The same for the hand-written service. */
  readonly peer?: { readonly value: number; readonly raw: Readonly<Record<string, number>> }
}

export interface Row {
  readonly name: string
  readonly unit: Unit
  readonly target: Readonly<Record<EngineName, number>>
  /** The target is a minimum: more is better. */
  readonly isLeast?: boolean
  /** The engines it is measured on; both by default. */
  readonly engines?: readonly EngineName[]
  /** Measured while the POS writes. */
  readonly isWriting?: boolean
  /** Another instance runs beside the service. */
  readonly hasSecond?: boolean
  /** Takes a minute, or needs a large company: left out of a quick run, unless `--only` selects it. */
  readonly isLong?: boolean
  measure(bench: Bench): Promise<Measured>
}

export const both = (target: number): Row['target'] => ({ sqlite: target, postgres: target })

export const round = (value: number) => Number(value.toPrecision(4))
