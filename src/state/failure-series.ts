// Series of failed token requests and the blocks they lead to: one for each key tried from an address, and one for the whole
// address.
import { createHash } from 'node:crypto'
import { limits } from './limits.ts'
import { rows, type Row, type Steps } from './steps.ts'

export interface Series {
  readonly startedAt: number
  readonly count: number
  readonly blockedUntil: number | null
}

// Keys as sent are stored only as a hash, because a caller may send a secret by mistake.
export const hashKey = (accessKey: string | null): Uint8Array =>
  createHash('sha256')
    .update(accessKey ?? '')
    .digest()

// The key hash of the series of the whole address.
export const anyKey = new Uint8Array(0)

export function failOnce(series: Series | null, now: number, most: number): Series {
  const age = series ? now - series.startedAt : -1
  const [startedAt, count] =
    series && age >= 0 && age < limits.seriesMs ? [series.startedAt, series.count + 1] : [now, 1]
  return { startedAt, count, blockedUntil: count >= most ? now + limits.blockMs : (series?.blockedUntil ?? null) }
}

// If the clock was set back, a block must not last longer than one that starts now.
export function limitBlock(series: Series | null, now: number): Series | null {
  const latest = now + limits.blockMs
  if (!series || (series.blockedUntil ?? 0) <= latest) return series
  return { ...series, blockedUntil: latest }
}

export function readSeries([startedAt, count, blockedUntil]: Row): Series | null {
  if (typeof startedAt !== 'number') return null
  return { startedAt, count: Number(count), blockedUntil: typeof blockedUntil === 'number' ? blockedUntil : null }
}

// null deletes, undefined leaves unchanged.
export function* writeSeries(address: string, keyHash: Uint8Array, series: Series | null | undefined): Steps<void> {
  if (series === null) yield* rows`DELETE FROM failures WHERE address = ${address} AND key_hash = ${keyHash}`
  else if (series)
    yield* rows`
      INSERT INTO failures (address, key_hash, started_at, count, blocked_until)
      VALUES (${address}, ${keyHash}, ${series.startedAt}, ${series.count}, ${series.blockedUntil})
      ON CONFLICT (address, key_hash) DO UPDATE SET
        started_at = excluded.started_at, count = excluded.count, blocked_until = excluded.blocked_until`
}
