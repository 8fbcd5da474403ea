// What Prometheus reads: counts of answers as they are given, and what goes on at the moment it asks.
import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import process from 'node:process'
import type { EngineLoad } from '../../engine/engine.ts'
import { endReasons, type EndReason } from '../../http/connections.ts'
import type { Answered } from '../../http/pipeline.ts'
import type { KeyExpiry } from '../../state/state.ts'
import { histogram, metric, type Labels } from './exposition.ts'

// What is asked for when somebody reads.
export interface Vitals extends EngineLoad {
  readonly lagSeconds: number | null
  readonly isEngineUp: boolean
  readonly isStateUp: boolean
  // undefined: the state could not tell.
  readonly blocks: number | undefined
  readonly keyExpiries: readonly KeyExpiry[] | undefined
  // Seconds since 1970.
  readonly certificateEndsAt: number
}

const unrouted = '(none)'
const windows = ['key', 'token', 'anonymous']
const nsPerSecond = 1e9

// Which window a refused request was counted in.
const windowOf = ({ key, route }: Answered) =>
  route?.startsWith('/auth/') ? 'token' : key !== null ? 'key' : 'anonymous'

export function createMetrics() {
  const startedAt = Date.now() / 1000
  const answers = new Map<string, { readonly labels: Labels; count: number }>()
  const records = new Map<string, number>()
  const refused = new Map<string, number>()
  const latencies = new Map<string, ReturnType<typeof histogram>>()
  const unparsed = new Map<string, number>()
  const ended = new Map<EndReason, number>()
  let sentAway = 0
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()

  const countAnswer = ({ status, key }: Answered, route: string) => {
    const name = `${route} ${status} ${key}`
    const known = answers.get(name)
    if (known) known.count += 1
    else answers.set(name, { labels: { route, status: String(status), key: key ?? '' }, count: 1 })
  }

  const lagOf = (percent: number) => {
    const ns = delay.percentile(percent)
    return Math.max(0, ns / nsPerSecond - 0.02)
  }

  const counted = () => [
    ...metric(
      'vitrine_requests_total',
      'counter',
      'Answers, by route, status and access key.',
      [...answers.values()].map(({ labels, count }) => [labels, count]),
    ),
    ...metric(
      'vitrine_records_total',
      'counter',
      'Records given, by access key.',
      [...records].map(([key, count]) => [{ key }, count]),
    ),
    ...metric(
      'vitrine_windows_refused_total',
      'counter',
      'Requests over the limit of their window; token: at /auth/token and /auth/revoke.',
      windows.map((window) => [{ window }, refused.get(window) ?? 0]),
    ),
    ...metric(
      'vitrine_unparsed_requests_total',
      'counter',
      'Requests that no route has seen: not HTTP, too long or too slow.',
      [...unparsed].map(([code, count]) => [{ code }, count]),
    ),
    ...metric(
      'vitrine_connections_ended_total',
      'counter',
      'Connections that were ended or refused, by reason.',
      endReasons.map((why) => [{ why }, ended.get(why) ?? 0]),
    ),
    ...metric(
      'vitrine_blocked_requests_total',
      'counter',
      'Requests of blocked callers at /auth/token and /auth/revoke.',
      [[{}, sentAway]],
    ),
    '# HELP vitrine_request_seconds Time from a request to its answer, by route.',
    '# TYPE vitrine_request_seconds histogram',
    ...[...latencies].flatMap(([route, latency]) => latency.lines('vitrine_request_seconds', { route })),
  ]

  const now = (vitals: Vitals) => [
    ...gauge('vitrine_readers', 'Reader threads, or connections.', vitals.readers),
    ...gauge('vitrine_readers_busy', 'Those that work on a request.', vitals.busy),
    ...gauge('vitrine_reader_queue', 'Requests that wait for a reader.', vitals.waiting),
    ...metric('vitrine_statements_stopped_total', 'counter', 'Statements that took too long.', [[{}, vitals.stopped]]),
    ...gauge('vitrine_engine_up', 'Whether the POS database answers.', Number(vitals.isEngineUp)),
    ...metric(
      'vitrine_list_columns',
      'gauge',
      'Whether lists of a collection are found in columns; 0: by plain SQL, for the reason that the log gives.',
      vitals.lists.map(({ collection, way }) => [{ collection }, Number(way === 'columns')]),
    ),
    ...metric(
      'vitrine_list_columns_bytes',
      'gauge',
      'What the columns of a collection take in memory.',
      vitals.lists.map(({ collection, bytes }) => [{ collection }, bytes]),
    ),
    ...gauge('vitrine_state_up', 'Whether the state answers and took the last write.', Number(vitals.isStateUp)),
    ...gauge('vitrine_blocks', 'Callers that are blocked at /auth/token and /auth/revoke.', vitals.blocks),
    ...gauge('vitrine_data_lag_seconds', 'How far a replica is behind its primary.', vitals.lagSeconds),
    ...gauge(
      'vitrine_certificate_expiry_seconds',
      'When the certificate ends, in seconds since 1970 (Unix time).',
      vitals.certificateEndsAt,
    ),
    ...metric(
      'vitrine_key_expiry_seconds',
      'gauge',
      'When a key ends by itself, by access key, in seconds since 1970 (Unix time).',
      (vitals.keyExpiries ?? []).map(({ accessKey, expires }) => [{ key: accessKey }, expires.at / 1000]),
    ),
    ...metric('vitrine_listener_delay_seconds', 'gauge', 'How late the listener gets to its work.', [
      [{ quantile: '0.5' }, lagOf(50)],
      [{ quantile: '0.99' }, lagOf(99)],
    ]),
    ...gauge('process_start_time_seconds', 'When the service was started.', startedAt),
    ...gauge('process_resident_memory_bytes', 'Memory in use.', process.memoryUsage.rss()),
    ...gauge('process_open_fds', 'Files and sockets in use.', openFiles()),
    ...metric('process_cpu_seconds_total', 'counter', 'Time of the processor.', [[{}, cpuSeconds()]]),
  ]

  return {
    count(answered: Answered): void {
      const route = answered.route ?? unrouted
      countAnswer(answered, route)
      if (answered.key !== null && answered.records > 0)
        records.set(answered.key, (records.get(answered.key) ?? 0) + answered.records)
      if (answered.code === 'rate_limited') {
        const window = windowOf(answered)
        refused.set(window, (refused.get(window) ?? 0) + 1)
      }
      if (answered.code === 'too_many_attempts') sentAway += 1
      let latency = latencies.get(route)
      if (!latency) latencies.set(route, (latency = histogram()))
      latency.observe(answered.seconds)
    },
    countUnparsed(code: string): void {
      unparsed.set(code, (unparsed.get(code) ?? 0) + 1)
    },
    countEnded(why: EndReason): void {
      ended.set(why, (ended.get(why) ?? 0) + 1)
    },
    text(vitals: Vitals): string {
      const lines = [...counted(), ...now(vitals), '']
      // Of the time since somebody last asked.
      delay.reset()
      return lines.join('\n')
    },
    close: () => delay.disable(),
  }
}

const gauge = (name: string, help: string, value: number | undefined | null) =>
  value === undefined || value === null ? [] : metric(name, 'gauge', help, [[{}, value]])

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

// Where the system tells (Linux does).
function openFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}
