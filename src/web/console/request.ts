// What a route of the console is given: the parts of the service, and the request.
import type { Engine } from '../../engine/engine.ts'
import type { Call, Reply } from '../../http/exchange.ts'
import type { Certificate } from '../../http/tls.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { ConsoleSession } from '../../state/console-access.ts'
import type { State } from '../../state/state.ts'
import type { createHostCheck } from './hosts.ts'
import type { Vitals } from './metrics.ts'

export interface ConsoleOptions {
  readonly state: State
  readonly engine: Engine
  readonly clock: Clock
  // For the last day of a key, and the day in the name of a file.
  readonly timeZone: string
  readonly log: Log
  readonly vitals: (current: Certificate) => Promise<Vitals>
  // The text that Prometheus reads.
  readonly metrics: (current: Certificate) => Promise<string>
  // null: every caller of this listener may read the metrics.
  readonly metricsToken: string | null
  readonly hostRefusal: ReturnType<typeof createHostCheck>
  // For the sample command that tries a new key, and the address of the documentation.
  readonly api: ApiAddress
}

interface ApiAddress {
  readonly port: number
  readonly basePath: string
  // The file of the self-signed certificate, which callers have to trust; null: another certificate is set.
  readonly authority: string | null
  // The address that callers use; null: that of this machine.
  readonly publicUrl: string | null
}

// The routes of a path, by method. 'to all': without a session, too.
export interface Place {
  readonly opens: 'to all' | 'to accounts' | 'to the metrics token'
  readonly methods: Readonly<Record<string, OpenRoute>>
}

// A request, and what the checks have found out about it so far.
export interface Exchange {
  readonly call: Call
  readonly query: URLSearchParams
  readonly certificate: Certificate
  readonly options: ConsoleOptions
  // undefined: no route has this path, but a file of the page may.
  readonly place: Place | undefined
  // In place of {name} in the path.
  readonly subject: string
  // The proof of a session, if the request has one.
  readonly credential: string | null
  session: ConsoleSession | null
}

// A route that also answers callers without a session.
export type OpenRoute = (options: ConsoleOptions, request: Exchange) => Promise<Reply>

export type Route = (
  options: ConsoleOptions,
  request: Exchange & { readonly session: ConsoleSession },
) => Promise<Reply>
