// Settings → the running service: engine, state, routes and listeners put together, and taken apart again.
import { createApp } from './app.ts'
import { checkCatalogue } from './catalogue/check.ts'
import { resources } from './catalogue/resources/index.ts'
import type { Clock } from './clock.ts'
import { databaseProblems, startEngine } from './engine/open.ts'
import { OperatorError } from './errors.ts'
import { folderProblem } from './files.ts'
import { trustedProxies } from './http/address.ts'
import { anonymousWindows } from './http/anonymous-windows.ts'
import { portProblem, startListeners, type Listeners } from './http/listeners.ts'
import { developmentCertificate, readCertificate, watchCertificate } from './http/tls.ts'
import type { Log } from './log.ts'
import type { Settings } from './settings/table.ts'
import { startState, stateProblem } from './state/open.ts'
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
  const certificate = await readCertificate(files)
  if ('problems' in certificate) throw new OperatorError(certificate.problems.join('\n'))
  const { readers, statementTimeoutMs } = settings
  const engine = await startEngine(settings.databaseUrl, { readers, statementTimeoutMs, log })
  let state: State | undefined
  let listeners: Listeners | undefined
  try {
    state = await startState(settings.stateUrl, clock, readers, log)
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
  const [database, place] = await Promise.all([databaseProblems(settings.databaseUrl), placeProblems(settings)])
  return [...database, ...place]
}

// What keeps the service from starting, whatever the database: state, certificate, folders and ports.
export async function placeProblems(settings: Settings): Promise<string[]> {
  const { stateUrl, tlsCert, tlsKey, dataDir, host, port, httpPort } = settings
  const certificate = tlsCert && tlsKey ? await readCertificate({ cert: tlsCert, key: tlsKey }) : undefined
  return [
    await stateProblem(stateUrl),
    ...(certificate && 'problems' in certificate ? certificate.problems : []),
    certificate ? undefined : folderProblem(dataDir),
    await portProblem(host, port, 'VITRINE_PORT'),
    await portProblem(host, httpPort, 'VITRINE_HTTP_PORT'),
  ].filter((problem, at, all): problem is string => problem !== undefined && all.indexOf(problem) === at)
}

function certificateFiles({ tlsCert, tlsKey, dataDir, host }: Settings, clock: Clock) {
  if (tlsCert && tlsKey) return { files: { cert: tlsCert, key: tlsKey }, development: null }
  const { isNew, ...files } = developmentCertificate(dataDir, host, clock.now())
  return { files, development: { path: files.cert, isNew } }
}
