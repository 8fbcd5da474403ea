// What `vitrine serve` does: starts the service, tells where it is, and stops it when it is told to.
import { constants, setPriority } from 'node:os'
import process from 'node:process'
import { hashSecret, makeToken } from '../auth/secrets.ts'
import { OperatorError } from '../errors.ts'
import { createLog, writeTogether, type Log } from '../platform/log.ts'
import type { NewKey } from '../keys/keys.ts'
import { placeProblems, startService, type RunningService } from '../service.ts'
import { findExposures } from '../settings/exposures.ts'
import { makeDemo } from './demo.ts'
import { makeDemoKeys } from './demo-keys.ts'
import type { Context } from './runnable.ts'
import { welcome } from './welcome.ts'
import { withProgress } from './with-progress.ts'

export async function runService(context: Context): Promise<void> {
  const { settings, clock, flags } = context
  if (settings.databaseUrl.kind === 'sqlite') giveWay()
  if (flags.has('demo')) await starting(makeDemoCompany(context))
  if (flags.has('check-first')) await checkFirst(context)
  const toldToStop = whenToldToStop()
  const write = writeTogether(
    (text) => process.stdout.write(text),
    (flush) => process.on('exit', flush),
  )
  const log = createLog(settings.logLevel, write, clock)
  const service = await starting(startService(settings, clock, log))
  try {
    await starting(tell(context, service, log))
  } catch (error) {
    // Nothing goes on of what is said not to have started.
    await service.stop()
    throw error
  }
  log.info('stopping', { signal: await toldToStop })
  await service.stop()
  log.info('stopped')
}

// Tills that write the same file run on the same machine: they come first. (Threads begin with the priority of whoever begins
// them, so this is before any of ours.)
function giveWay(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Then we are served as everybody else.
  }
}

// Where it listens, to people and programs; and the first keys.
async function tell(context: Context, service: RunningService, log: Log): Promise<void> {
  const { settings, output, flags } = context
  // Once everything else has gone well: their codes are shown here and nowhere else.
  const newKeys = flags.has('demo') ? await makeFirstKeys(context, service) : []
  // Only where somebody looks: elsewhere it would stay in a log.
  const link = process.stderr.isTTY && !output.isJson ? await offerLink(service) : null
  const { https, http, console } = service
  if (output.isJson) output.result({ event: 'listening', https, http, console }, '')
  else log.info('listening', { https, http, console })
  // A state that does not answer is told of by itself.
  if (link === null && (await service.state.findSalt().catch(() => undefined)) === null)
    log.info('console_without_password', { remedy: '"vitrine admin password" sets the password of the console.' })
  if (service.developmentCertificate) log.warn('self_signed_certificate', service.developmentCertificate)
  const lines = welcome(settings, service, { newKeys, link, isDemo: flags.has('demo') }).split('\n')
  for (const line of lines) output.remark(line)
  for (const { message, remedy } of findExposures(settings, context.secretFiles)) {
    log.warn('exposed', { problem: message, remedy })
    output.remark(`WARNING: ${message} ${remedy}`)
  }
}

// Whatever keeps it from starting ends it with the same status: whoever supervises it need not tell them apart.
async function starting<Result>(start: Promise<Result>): Promise<Result> {
  try {
    return await start
  } catch (error) {
    throw new OperatorError(
      error instanceof OperatorError ? error.message : `It cannot start: ${(error as Error).message}`,
    )
  }
}

// Everything that can fail, and a single round of requests.
async function checkFirst({ settings, clock, output }: Context): Promise<void> {
  const { canServe, checkDatabase, whyNot } = await import('../operate/check/check.ts')
  const report = await withProgress(output, (onProgress) =>
    checkDatabase({ settings, clock, asks: 'what decides', rounds: 1, onProgress }),
  )
  if (!canServe(report)) throw new OperatorError(whyNot(report).join('\n'), 1)
}

// What is there already stays: a second start makes nothing.
async function makeDemoCompany({ settings, output }: Context): Promise<void> {
  const { demoPlace } = await import('../../demo/open-place.ts')
  const place = await demoPlace(settings.databaseUrl)
  if ((await place.holds()) !== 'nothing') return
  const problems = await placeProblems(settings)
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
  await makeDemo(place, 1, 1, output)
}

// Keys whose codes are printed are made for the demo company alone, and only where there is none yet.
async function makeFirstKeys({ settings, output }: Context, { state }: RunningService): Promise<NewKey[]> {
  const { demoPlace } = await import('../../demo/open-place.ts')
  const place = await demoPlace(settings.databaseUrl)
  const [holds, keys] = await Promise.all([place.holds(), state.listKeys()])
  if (holds === 'demo' && keys.length === 0) return makeDemoKeys(state)
  if (holds !== 'demo') output.remark(`What is in ${place.name} is not the demo company: no demo keys were made.`)
  return []
}

// Until a password for the console is set, each start offers a link to set it. It is shown to people, never logged.
async function offerLink({ state }: RunningService): Promise<string | null> {
  const link = makeToken()
  return (await state.offerLink(hashSecret(link))) ? link : null
}

// One Ctrl-C can arrive from the terminal, from npm and from the launcher.
const oneSignalMs = 1000

// Listens from now on: whoever is told to stop while it starts, stops when it has started.
function whenToldToStop(): Promise<string> {
  return new Promise((resolve) => {
    let stoppingSince: number | undefined
    const stop = (signal: string) => {
      // Asked again: somebody does not want to wait.
      if (stoppingSince !== undefined && performance.now() - stoppingSince > oneSignalMs) process.exit(1)
      stoppingSince ??= performance.now()
      resolve(signal)
    }
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop(signal))
  })
}
