// Settings → the running service: engine, state, routes and listeners put together, and taken apart again.
import { createApp } from './app.ts'
import { checkCatalogue } from './catalogue/check.ts'
import { resources } from './catalogue/resources/index.ts'
import type { Clock } from './clock.ts'
import { checkSqliteFile } from './engine/sqlite/check.ts'
import { createSqliteEngine } from './engine/sqlite/engine.ts'
import type { Engine } from './engine/engine.ts'
import { OperatorError } from './errors.ts'
import { trustedProxies } from './http/address.ts'
import { anonymousWindows } from './http/anonymous-windows.ts'
import { startListeners, type Listeners } from './http/listeners.ts'
import { developmentCertificate, readCertificate, watchCertificate } from './http/tls.ts'
import type { Log } from './log.ts'
import type { Settings } from './settings/table.ts'
import { startSqliteState } from './state/sqlite/state.ts'
import type { State } from './state/state.ts'

export interface Service {
  readonly https: number
  readonly http: number
  // The self-signed certificate, when no other was named.
  readonly developmentCertificate: { readonly path: string; readonly isNew: boolean } | null
  readonly state: State
  // Lets every accepted request finish, then ends.
  stop(): Promise<void>
}

export async function startService(settings: Settings, clock: Clock, log: Log): Promise<Service> {
  const problems = checkCatalogue(resources)
  if (problems.length > 0) throw new Error(`The catalogue is not consistent:\n${problems.join('\n')}`)
  const { files, development } = certificateFiles(settings, clock)
  const certificate = readCertificate(files)
  const engine = startEngine(settings, log)
  let state: State | undefined
  let listeners: Listeners | undefined
  try {
    state = startState(settings, clock)
    const anonymous = anonymousWindows(settings.anonymousRate, clock)
    const handle = createApp({ engine, state, clock, log, timeZone: settings.timeZone, anonymous })
    const { host, port, httpPort } = settings
    const trusted = trustedProxies(settings.trustProxy)
    listeners = await startListeners({ handle, anonymous, trusted, certificate, host, port, httpPort, log })
  } catch (error) {
    await Promise.all([engine.close(), state?.close()])
    throw error
  }
  const open = { engine, state, listeners }
  const stopWatching = watchCertificate(
    files,
    (next) => {
      open.listeners.useCertificate(next)
      log.info('certificate_changed')
    },
    (problem) => log.error('certificate_not_changed', { problem }),
  )
  return {
    https: listeners.https,
    http: listeners.http,
    developmentCertificate: development,
    state,
    async stop() {
      stopWatching()
      await open.listeners.drain()
      await Promise.all([open.engine.close(), open.state.close()])
    },
  }
}

function certificateFiles({ tlsCert, tlsKey, dataDir, host }: Settings, clock: Clock) {
  if (tlsCert && tlsKey) return { files: { cert: tlsCert, key: tlsKey }, development: null }
  const { isNew, ...files } = developmentCertificate(dataDir, host, clock.now())
  return { files, development: { path: files.cert, isNew } }
}

function startEngine({ databaseUrl, readers, statementTimeoutMs }: Settings, log: Log): Engine {
  if (databaseUrl.kind !== 'sqlite') throw new OperatorError('PostgreSQL is not supported by this version.')
  const problems = checkSqliteFile(databaseUrl.path)
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
  return createSqliteEngine({ path: databaseUrl.path, readers, statementTimeoutMs, log })
}

function startState({ stateUrl, statementTimeoutMs }: Settings, clock: Clock): State {
  if (stateUrl.kind !== 'sqlite') throw new OperatorError('PostgreSQL is not supported by this version.')
  return startSqliteState({ path: stateUrl.path, clock, timeoutMs: statementTimeoutMs })
}
