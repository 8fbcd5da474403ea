// The metrics that Prometheus reads. Answers are counted as they are given; the rest is read when Prometheus asks.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { collectDefaultMetrics, Counter, Gauge, Registry, type Histogram } from 'prom-client'
import type { EngineLoad } from '../../engine/engine.ts'
import { endReasons, type EndReason } from '../../http/connections.ts'
import type { Answered } from '../../http/pipeline.ts'
import type { OnLook } from '../../routes/changes.ts'
import type { KeyExpiry } from '../../state/state.ts'

// The copy of a POS; only where one is kept.
export interface CopyVitals {
  // null: there is none yet.
  readonly ageSeconds: number | null
  // Of the last round that succeeded.
  readonly roundSeconds: number | undefined
  // Rows since the start, by what happened to them.
  readonly rows: Readonly<Record<'read' | 'new' | 'changed' | 'deleted', number>>
  // Why rounds fail, and since when, in milliseconds since 1970.
  readonly failure: { readonly problem: string; readonly since: number } | undefined
  // Wrong rows that are kept out, by relation.
  readonly keptOut: readonly { readonly relation: string; readonly rows: number }[]
  // Relations that would lose most of their rows: those in the copy, in the source, and those that would be deleted.
  readonly waiting: readonly {
    readonly relation: string
    readonly had: number
    readonly has: number
    readonly lost: number
  }[]
}

// The state of the service when Prometheus asks.
export interface Vitals extends EngineLoad {
  readonly lagSeconds: number | null
  readonly isEngineUp: boolean
  readonly isStateUp: boolean
  // undefined: the state did not answer.
  readonly blocks: number | undefined
  readonly keyExpiries: readonly KeyExpiry[] | undefined
  // Seconds since 1970.
  readonly certificateEndsAt: number
  // The time of the oldest change in the journal when a key last asked for changes. null: all changes are there. undefined: no key has
  // asked yet.
  readonly journalFrom?: number | null | undefined
  readonly copy?: CopyVitals | undefined
}

const unrouted = '(none)'
const windows = ['key', 'token', 'anonymous']
const resolutionMs = 20
const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

// The window that a refused request was counted in.
const windowOf = ({ key, route }: Answered) =>
  route?.startsWith('/auth/') ? 'token' : key !== null ? 'key' : 'anonymous'

const helpOfProcess = {
  process_start_time_seconds: 'When the service was started.',
  process_resident_memory_bytes: 'Memory in use.',
  process_open_fds: 'Files and sockets in use.',
  process_cpu_seconds_total: 'Time of the processor.',
}

type SetGauge = (name: string, help: string, value: number | null | undefined) => void

function copyMetrics(copy: CopyVitals, gauge: SetGauge, registers: Registry[]): void {
  gauge('vitrine_copy_up', 'Whether the last round of the copy succeeded.', Number(copy.failure === undefined))
  gauge('vitrine_copy_age_seconds', 'How long ago the last round that succeeded began.', copy.ageSeconds)
  gauge('vitrine_copy_round_seconds', 'How long the last round that succeeded took.', copy.roundSeconds)
  const byRelation = (name: string, help: string, values: readonly (readonly [string, number])[]) => {
    const labelled = new Gauge({ name, help, labelNames: ['relation'], registers })
    for (const [relation, rows] of values) labelled.set({ relation }, rows)
  }
  byRelation(
    'vitrine_copy_kept_out_rows',
    'Wrong rows of the source that are kept out of the copy.',
    copy.keptOut.map(({ relation, rows }) => [relation, rows]),
  )
  byRelation(
    'vitrine_copy_waiting_rows',
    'Rows that a relation would lose, which waits for that reason.',
    copy.waiting.map(({ relation, lost }) => [relation, lost]),
  )
  const name = 'vitrine_copy_rows_total'
  const help = 'Rows of the copy since the start: read from the source, and new, changed or deleted in the copy.'
  const rows = new Counter({ name, help, labelNames: ['what'], registers })
  for (const [what, count] of Object.entries(copy.rows)) rows.inc({ what }, count)
}

interface Tally {
  readonly route: string
  readonly status: string
  readonly key: string
  requests: number
  records: number
  readonly times: { seconds: number; readonly within: number[] }
}

// Counts answers. An answer costs a lookup in a map and a few additions; the text for Prometheus is made when it asks.
function tallyAnswers(registry: Registry) {
  const tallies = new Map<string, Tally>()
  const times = new Map<string, Tally['times']>()
  const tallyOf = (name: string, route: string, status: string, key: string): Tally => {
    const ofRoute = times.get(route) ?? { seconds: 0, within: [...latencyBuckets, Infinity].map(() => 0) }
    const tally = { route, status, key, requests: 0, records: 0, times: ofRoute }
    times.set(route, ofRoute)
    tallies.set(name, tally)
    return tally
  }
  const counter = (name: string, help: string, labelNames: string[], collect: (this: Counter) => void) =>
    registry.registerMetric(new Counter({ name, help, labelNames, registers: [], collect }))
  counter(
    'vitrine_requests_total',
    'Answers, by route, status and access key.',
    ['route', 'status', 'key'],
    function collect() {
      this.reset()
      for (const { route, status, key, requests } of tallies.values()) this.inc({ route, status, key }, requests)
    },
  )
  counter('vitrine_records_total', 'Records given, by access key.', ['key'], function collect() {
    this.reset()
    for (const { key, records } of tallies.values()) if (records > 0) this.inc({ key }, records)
  })
  const name = 'vitrine_request_seconds'
  const valuesOf = ([route, { seconds, within }]: [string, Tally['times']]) => {
    let count = 0
    const buckets = within.map((more, at) => {
      count += more
      return { metricName: `${name}_bucket`, labels: { le: latencyBuckets[at] ?? '+Inf', route }, value: count }
    })
    const sum = { metricName: `${name}_sum`, labels: { route }, value: seconds }
    return [...buckets, sum, { ...sum, metricName: `${name}_count`, value: count }]
  }
  // The histograms of prom-client cannot be set.
  const histogram = {
    name,
    help: 'Time from a request to its answer, by route.',
    type: 'histogram',
    get: async () => ({ ...histogram, values: [...times].flatMap(valuesOf) }),
  }
  registry.registerMetric(histogram as unknown as Histogram)

  return {
    count({ route: answered, status, key, records, seconds }: Answered): void {
      const route = answered ?? unrouted
      const named = `${status} ${key ?? ''} ${route}`
      const tally = tallies.get(named) ?? tallyOf(named, route, String(status), key ?? '')
      tally.requests += 1
      if (key !== null) tally.records += records
      tally.times.seconds += seconds
      let at = 0
      while (seconds > (latencyBuckets[at] ?? Infinity)) at += 1
      tally.times.within[at] = (tally.times.within[at] ?? 0) + 1
    },
  }
}

export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const [name, help] of Object.entries(helpOfProcess))
    Object.assign(registry.getSingleMetric(name) ?? {}, { help })
  const counter = (name: string, help: string, ...labelNames: readonly string[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  const refused = counter(
    'vitrine_windows_refused_total',
    'Requests over the limit of their window; token: at /auth/token and /auth/revoke.',
    'window',
  )
  const unparsed = counter(
    'vitrine_unparsed_requests_total',
    'Requests that no route has seen: not HTTP, too long or too slow.',
    'code',
  )
  const ended = counter('vitrine_connections_ended_total', 'Connections that were ended or refused, by reason.', 'why')
  const blocked = counter(
    'vitrine_blocked_requests_total',
    'Requests of blocked callers at /auth/token and /auth/revoke.',
  )
  const answers = tallyAnswers(registry)
  const lastLook = new Gauge({
    name: 'vitrine_feed_last_look_seconds',
    help: 'When a key last asked for changes, by access key, in seconds since 1970 (Unix time).',
    labelNames: ['key'],
    registers: [registry],
  })
  const oldest = new Gauge({
    name: 'vitrine_journal_oldest_seconds',
    help: 'The time of the oldest change in the journal as of the last look; 0: none was deleted yet (Unix time).',
    registers: [registry],
  })
  let journalFrom: number | null | undefined
  for (const window of windows) refused.inc({ window }, 0)
  for (const why of endReasons) ended.inc({ why }, 0)
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  const delaySeconds = (percent: number) => Math.max(0, delay.percentile(percent) / 1e9 - resolutionMs / 1000)

  // A new registry for each reading, so that values that are unknown at present are left out.
  const snapshot = (vitals: Vitals): Registry => {
    const current = new Registry()
    const registers = [current]
    const gauge: SetGauge = (name, help, value) => {
      if (typeof value === 'number') new Gauge({ name, help, registers }).set(value)
    }
    const gauges = (name: string, help: string, label: string, values: readonly (readonly [string, number])[]) => {
      const labelled = new Gauge({ name, help, labelNames: [label], registers })
      for (const [text, value] of values) labelled.set({ [label]: text }, value)
    }
    gauge('vitrine_readers', 'Reader threads, or connections.', vitals.readers)
    gauge('vitrine_readers_busy', 'Those that work on a request.', vitals.busy)
    gauge('vitrine_reader_queue', 'Requests that wait for a reader.', vitals.waiting)
    const stopped = { name: 'vitrine_statements_stopped_total', help: 'Statements that took too long.', registers }
    new Counter(stopped).inc(vitals.stopped)
    gauge('vitrine_engine_up', 'Whether the POS database answers.', Number(vitals.isEngineUp))
    gauges(
      'vitrine_list_columns',
      'Whether lists of a collection are found in columns; 0: by plain SQL, for the reason that the log gives.',
      'collection',
      vitals.lists.map(({ collection, way }) => [collection, Number(way === 'columns')]),
    )
    gauges(
      'vitrine_list_columns_bytes',
      'What the columns of a collection take in memory.',
      'collection',
      vitals.lists.map(({ collection, bytes }) => [collection, bytes]),
    )
    gauge('vitrine_state_up', 'Whether the state answers and took the last write.', Number(vitals.isStateUp))
    gauge('vitrine_blocks', 'Callers that are blocked at /auth/token and /auth/revoke.', vitals.blocks)
    gauge('vitrine_data_lag_seconds', 'How far a replica is behind its primary.', vitals.lagSeconds)
    gauge(
      'vitrine_feed_held_back_seconds',
      'How long the transaction has been running for which newer changes wait in the change feed; 0: none. The log names it, and the statement that ends it.',
      vitals.feedHold?.seconds ?? 0,
    )
    if (vitals.copy) copyMetrics(vitals.copy, gauge, registers)
    gauge(
      'vitrine_certificate_expiry_seconds',
      'When the certificate ends, in seconds since 1970 (Unix time).',
      vitals.certificateEndsAt,
    )
    gauges(
      'vitrine_key_expiry_seconds',
      'When a key ends by itself, by access key, in seconds since 1970 (Unix time).',
      'key',
      (vitals.keyExpiries ?? []).map(({ accessKey, expires }) => [accessKey, expires.at / 1000]),
    )
    gauges('vitrine_listener_delay_seconds', 'How late the listener gets to its work.', 'quantile', [
      ['0.5', delaySeconds(50)],
      ['0.99', delaySeconds(99)],
    ])
    return current
  }

  return {
    count(answered: Answered): void {
      answers.count(answered)
      if (answered.code === 'rate_limited') refused.inc({ window: windowOf(answered) })
      if (answered.code === 'too_many_attempts') blocked.inc()
    },
    journalFrom: () => journalFrom,
    countLook({ accessKey, oldestAt }: Parameters<OnLook>[0], now: number): void {
      lastLook.set({ key: accessKey }, now / 1000)
      oldest.set(oldestAt ?? 0)
      journalFrom = oldestAt
    },
    countUnparsed: (code: string): void => unparsed.inc({ code }),
    countEnded: (why: EndReason): void => ended.inc({ why }),
    async text(vitals: Vitals): Promise<string> {
      const current = snapshot(vitals)
      // The delay is that since the last reading.
      delay.reset()
      return `${await registry.metrics()}${await current.metrics()}`
    },
    close: () => delay.disable(),
  }
}
