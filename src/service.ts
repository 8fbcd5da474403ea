// Settings → the running service: assembles engine, state, routes and listeners, and takes them apart again.
import { join } from 'node:path'
import process from 'node:process'
import { basePath, createApp, resourceOf } from './app.ts'
import { checkCatalogue } from './catalogue/check.ts'
import { resources } from './catalogue/resources/index.ts'
import type { Clock } from './platform/clock.ts'
import { createBudget } from './engine/budget.ts'
import { namesOf } from './engine/missing-parts.ts'
import { inspectDatabase, startEngine } from './engine/open.ts'
import { OperatorError } from './errors.ts'
import { createConsole } from './web/console/app.ts'
import { createHostCheck } from './web/console/hosts.ts'
import { consoleAddress, startConsole } from './web/console/listener.ts'
import { createMetrics } from './web/console/metrics.ts'
import { createVitals } from './web/console/vitals.ts'
import { folderProblem, makeFolder } from './platform/files.ts'
import { trustedProxies } from './http/address.ts'
import { anonymousWindows } from './http/anonymous-windows.ts'
import { logEnds, type ConnectionLimits } from './http/connections.ts'
import { portProblem } from './http/listen.ts'
import { startListeners } from './http/listeners.ts'
import type { Answered } from './http/pipeline.ts'
import { developmentCertificate, endOf, readCertificate, watchCertificate, type Certificate } from './http/tls.ts'
import { createUnsent } from './http/unsent.ts'
import { findInstance, removeInstance, writeInstance, type Instance } from './platform/instance.ts'
import { noticeExpiries } from './keys/expiry-notices.ts'
import { prepareToServe, startCopying, untilCopied } from './operate/copy/beside.ts'
import type { Log } from './platform/log.ts'
import type { Settings } from './settings/table.ts'
import { startState, stateProblem } from './state/open.ts'
import type { State } from './state/state.ts'
import { recordUsage } from './state/usage-record.ts'

export interface RunningService {
  readonly https: number
  readonly http: number
  readonly console: number
  // The self-signed certificate, if no other is set.
  readonly developmentCertificate: { readonly path: string; readonly isNew: boolean } | null
  readonly state: State
  // Columns that the database lacks: they read as null.
  readonly lacking: readonly string[]
  // The processes that served here before and were told to stop.
  readonly before: readonly number[]
  // Its state was exchanged: every request is refused, and it must be stopped.
  readonly exchanged: Promise<void>
  // Lets every accepted request finish, then ends.
  stop(): Promise<void>
}

export async function startService(settings: Settings, clock: Clock, log: Log): Promise<RunningService> {
  // Everything is checked before anything is created, so that all problems are reported together.
  const predecessor = findInstance(settings.dataDir, settings.port)
  await prepareToServe(settings)
  const { problems, lacking } = await inspect(settings, predecessor)
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
  const { files, development } = certificateFiles(settings, clock)
  const certificate = await readCertificate(files)
  if ('problems' in certificate) throw new OperatorError(certificate.problems.join('\n'))
  const open = await openAll(settings, clock, log, certificate, development?.path ?? null)
  const { listeners, operators } = open
  const stopWatching = watchCertificate(
    files,
    certificate,
    (next) => {
      listeners.useCertificate(next)
      operators.useCertificate(next)
      log.info('certificate_changed')
    },
    (problem) => log.error('certificate_not_changed', { problem }),
  )
  const before = takePlace(settings, [listeners.https, listeners.http, operators.port], predecessor, log)
  return {
    before,
    lacking,
    https: listeners.https,
    http: listeners.http,
    console: operators.port,
    developmentCertificate: development,
    state: open.state,
    exchanged: open.exchanged,
    async stop() {
      stopWatching()
      await open.close()
      removeInstance(settings.dataDir, settings.port)
    },
  }
}

// If one part fails to open, the parts before it are closed again.
async function openAll(settings: Settings, clock: Clock, log: Log, certificate: Certificate, authority: string | null) {
  const { readers, statementTimeoutMs, host, port, httpPort, consoleHost, consolePort } = settings
  const closers: Closer[] = []
  const close = () => closeAll(closers)
  try {
    // Before the engine loads lists: a damaged state ends the start.
    const exchanged = Promise.withResolvers<void>()
    const state = await startState(settings.stateUrl, clock, readers, log, exchanged.resolve)
    closers.push(() => state.close())
    const budget = createBudget(settings.keyBudgetMs, clock, log)
    const engine = await startEngine(settings.databaseUrl, {
      readers,
      statementTimeoutMs,
      log,
      budget,
      indexMemoryBytes: settings.indexMemoryMb * 2 ** 20,
      columnsFolder: join(settings.dataDir, 'columns'),
    })
    closers.push(() => engine.close())
    const copying = await startCopying(settings, log)
    closers.push(() => copying?.close())
    const usage = recordUsage(state, clock)
    closers.push(() => usage.close())
    const notices = noticeExpiries(state, clock, log)
    closers.push(() => notices.close())
    const metrics = createMetrics()
    closers.push(() => void metrics.close())
    const onAnswer = (answered: Answered) => {
      metrics.count(answered)
      if (answered.key === null) return
      usage.count({ ...answered, accessKey: answered.key, resource: resourceOf(answered.route) })
    }
    const anonymous = anonymousWindows(settings.anonymousRate, clock)
    const handle = createApp({
      engine: untilCopied(engine, copying),
      state,
      clock,
      log,
      timeZone: settings.timeZone,
      currencies: settings.currencies,
      anonymous,
      publicUrl: settings.publicUrl,
      onAnswer,
      onLook: (look) => metrics.countLook(look, clock.now()),
    })
    const trusted = trustedProxies(settings.trustProxy)
    const unsent = createUnsent()
    closers.push(() => unsent.close())
    const logEnd = logEnds(log)
    const connections: ConnectionLimits = {
      unsent,
      mostPerAddress: settings.connectionsPerAddress,
      onEnd(why, details) {
        metrics.countEnded(why)
        logEnd(why, details)
      },
    }
    const listeners = await startListeners({
      handle,
      anonymous,
      trusted,
      certificate,
      host,
      port,
      httpPort,
      log,
      connections,
      onUnparsed: (code) => metrics.countUnparsed(code),
    })
    closers.push(() => listeners.drain())
    const readVitals = createVitals(engine, state)
    const vitals = async (current: Certificate) => ({
      ...(await readVitals()),
      certificateEndsAt: endOf(current),
      journalFrom: metrics.journalFrom(),
      copy: copying?.vitals(clock.now()),
    })
    const operators = await startConsole({
      certificate,
      host: consoleHost,
      port: consolePort,
      handle: createConsole({
        state,
        engine,
        clock,
        timeZone: settings.timeZone,
        log,
        vitals,
        metrics: async (current) => metrics.text(await vitals(current)),
        metricsToken: settings.metricsToken,
        hostRefusal: createHostCheck([consoleHost, ...settings.consoleNames]),
        api: { port: listeners.https, basePath, authority, publicUrl: settings.publicUrl },
      }),
      log,
      connections,
    })
    closers.push(() => operators.close())
    return { state, exchanged: exchanged.promise, listeners, operators, close }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}

type Closer = () => Promise<void> | void

// In reverse order, one after the other, and all of them even if one fails.
export async function closeAll(closers: readonly Closer[]): Promise<void> {
  const faults: unknown[] = []
  for (const each of closers.toReversed()) await Promise.try(each).catch((fault: unknown) => faults.push(fault))
  if (faults.length > 0) throw faults[0]
}

// Stops the instance that served on this port, and records this one for its successor. (A random port has neither.)
function takePlace(
  { dataDir, port }: Settings,
  ports: readonly number[],
  before: Instance | undefined,
  log: Log,
): number[] {
  if (port === 0) return []
  try {
    // If several start at once, each stops the one before it.
    const others = new Set([before?.pid, findInstance(dataDir, port)?.pid].filter((pid) => pid !== undefined))
    makeFolder(dataDir)
    writeInstance(dataDir, port, ports)
    return [...others].filter((pid) => stopOther(pid, log))
  } catch (cause) {
    log.warn('not_taken_over', { cause })
    return []
  }
}

function stopOther(pid: number, log: Log): boolean {
  try {
    process.kill(pid, 'SIGTERM')
    log.info('took_over', { pid })
    return true
  } catch (cause) {
    // For example, it has just ended by itself. The others must still be stopped.
    log.warn('not_taken_over', { pid, cause })
    return false
  }
}

async function inspect(settings: Settings, predecessor: Instance | undefined) {
  const catalogue = checkCatalogue(resources)
  if (catalogue.length > 0) throw new Error(`the catalogue is not consistent: ${catalogue.join(' ')}`)
  const [database, place] = await Promise.all([
    inspectDatabase(settings.databaseUrl),
    placeProblems(settings, predecessor),
  ])
  return { problems: [...database.problems, ...place], lacking: namesOf(database.lacking) }
}

// Why the service cannot start, apart from the database: state, certificate, folders and ports.
export async function placeProblems(settings: Settings, predecessor?: Instance): Promise<string[]> {
  const { stateUrl, tlsCert, tlsKey, dataDir, host, port, httpPort, consoleHost, consolePort } = settings
  const addresses = [
    { host, port, portSetting: 'VITRINE_PORT' },
    { host, port: httpPort, portSetting: 'VITRINE_HTTP_PORT' },
    consoleAddress(consoleHost, consolePort),
  ]
  const certificate = tlsCert && tlsKey ? await readCertificate({ cert: tlsCert, key: tlsKey }) : undefined
  return [
    await stateProblem(stateUrl),
    ...(certificate && 'problems' in certificate ? certificate.problems : []),
    certificate ? undefined : folderProblem(dataDir),
    ...(await Promise.all(addresses.map((each) => portProblem(each, predecessor?.ports.includes(each.port) === true)))),
  ].filter((problem, at, all): problem is string => problem !== undefined && all.indexOf(problem) === at)
}

function certificateFiles({ tlsCert, tlsKey, dataDir, host, consoleHost }: Settings, clock: Clock) {
  if (tlsCert && tlsKey) return { files: { cert: tlsCert, key: tlsKey }, development: null }
  const { isNew, ...files } = developmentCertificate(dataDir, [host, consoleHost], clock.now())
  return { files, development: { path: files.cert, isNew } }
}
