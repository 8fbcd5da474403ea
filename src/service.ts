// Settings → the running service: engine, state, routes and listeners put together, and taken apart again.
import { createApp } from './app.ts'
import { checkCatalogue } from './catalogue/check.ts'
import { resources } from './catalogue/resources/index.ts'
import type { Clock } from './clock.ts'
import { checkSqliteFile } from './engine/sqlite/check.ts'
import { createSqliteEngine } from './engine/sqlite/engine.ts'
import type { Engine } from './engine/engine.ts'
import { OperatorError } from './errors.ts'
import { folderProblem } from './files.ts'
import { trustedProxies } from './http/address.ts'
import { anonymousWindows } from './http/anonymous-windows.ts'
import { portProblem, startListeners, type Listeners } from './http/listeners.ts'
import { certificateProblems, developmentCertificate, readCertificate, watchCertificate } from './http/tls.ts'
import type { Log } from './log.ts'
import type { Settings } from './settings/table.ts'
import { stateFileProblem } from './state/sqlite/schema.ts'
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
  // Everything is looked at before anything is made, and all that is wrong is said together.
  const problems = await startProblems(settings)
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
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
    certificate,
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

async function startProblems(settings: Settings): Promise<string[]> {
  const catalogue = checkCatalogue(resources)
  if (catalogue.length > 0) throw new Error(`the catalogue is not consistent: ${catalogue.join(' ')}`)
  const { databaseUrl, stateUrl, tlsCert, tlsKey, dataDir, host, port, httpPort } = settings
  return [
    ...(databaseUrl.kind === 'sqlite' ? checkSqliteFile(databaseUrl.path) : [notYet('VITRINE_DATABASE_URL')]),
    stateUrl.kind === 'sqlite' ? stateFileProblem(stateUrl.path) : notYet('VITRINE_STATE_URL'),
    ...(tlsCert && tlsKey ? certificateProblems({ cert: tlsCert, key: tlsKey }) : [folderProblem(dataDir)]),
    await portProblem(host, port, 'VITRINE_PORT'),
    await portProblem(host, httpPort, 'VITRINE_HTTP_PORT'),
  ].filter((problem, at, all): problem is string => problem !== undefined && all.indexOf(problem) === at)
}

const notYet = (setting: string) => `${setting} names PostgreSQL, which this version does not support yet.`

function certificateFiles({ tlsCert, tlsKey, dataDir, host }: Settings, clock: Clock) {
  if (tlsCert && tlsKey) return { files: { cert: tlsCert, key: tlsKey }, development: null }
  const { isNew, ...files } = developmentCertificate(dataDir, host, clock.now())
  return { files, development: { path: files.cert, isNew } }
}

function startEngine({ databaseUrl, readers, statementTimeoutMs }: Settings, log: Log): Engine {
  if (databaseUrl.kind !== 'sqlite') throw new OperatorError(notYet('VITRINE_DATABASE_URL'))
  return createSqliteEngine({ path: databaseUrl.path, readers, statementTimeoutMs, log })
}

function startState({ stateUrl, statementTimeoutMs }: Settings, clock: Clock): State {
  if (stateUrl.kind !== 'sqlite') throw new OperatorError(notYet('VITRINE_STATE_URL'))
  return startSqliteState({ path: stateUrl.path, clock, timeoutMs: statementTimeoutMs })
}
