// What a route of the console is given: the parts of the service, and the request.
import type { Engine } from '../../engine/engine.ts'
import type { Certificate } from '../../http/tls.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { ConsoleSession } from '../../state/console-access.ts'
import type { State } from '../../state/state.ts'
import type { ConsoleAnswer, ConsoleCall } from './exchange.ts'
import type { Vitals } from './metrics.ts'

export interface ConsoleOptions {
  readonly state: State
  readonly engine: Engine
  readonly clock: Clock
  // For the last day of a key, and the day in the name of a file.
  readonly timeZone: string
  readonly log: Log
  readonly vitals: (current: Certificate) => Promise<Vitals>
  // For the sample command that tries a new key, and the address of the documentation.
  readonly api: ApiAddress
}

interface ApiAddress {
  readonly port: number
  readonly basePath: string
  // The file of the self-signed certificate, which callers must be told to trust; null: another certificate is set.
  readonly authority: string | null
  // The address that callers use; null: that of this machine.
  readonly publicUrl: string | null
}

interface ConsoleRequest<Session = ConsoleSession | null> {
  readonly call: ConsoleCall
  readonly session: Session
  // In place of `:name` in the path.
  readonly subject: string
  readonly certificate: Certificate
}

export type Route<Session = ConsoleSession> = (
  options: ConsoleOptions,
  request: ConsoleRequest<Session>,
) => Promise<ConsoleAnswer>

// A route that also answers callers without a session.
export type OpenRoute = Route<ConsoleSession | null>
