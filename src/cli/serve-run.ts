// Runs `vitrine serve`: starts the service, prints where it listens, and stops it on a signal.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { hashSecret, makeToken } from '../auth/secrets.ts'
import { OperatorError } from '../errors.ts'
import { makeFolder } from '../platform/files.ts'
import { createLog, dropUnread, writeTogether, type Log } from '../platform/log.ts'
import { lowerPriority } from '../platform/priority.ts'
import { placeProblems, startService, type RunningService } from '../service.ts'
import { findExposures } from '../settings/exposures.ts'
import type { Settings } from '../settings/table.ts'
import type { CommandContext } from './command.ts'
import { makeDemo, makeDemoKeys } from './demo.ts'
import { logText } from './log-text.ts'
import { withProgress } from './output.ts'
import { consoleLink, welcomeText, type DemoKey } from './welcome.ts'

export async function runService(context: CommandContext): Promise<1 | void> {
  const { settings, clock, flags } = context
  // Tills that write the same file run on the same machine, and come first.
  if (settings.databaseUrl.kind === 'sqlite') lowerPriority()
  if (flags.has('demo')) await starting(makeDemoCompany(context))
  if (flags.has('check-first')) await checkFirst(context)
  const stopSignal = nextStopSignal()
  const write = writeTogether(
    dropUnread(process.stdout, (lines) => log.warn('log_lines_dropped', { lines })),
    (flush) => process.on('exit', flush),
  )
  const log: Log = createLog(settings.logLevel, isTerminal(context) ? (line) => write(logText(line)) : write, clock)
  const service = await starting(startService(settings, clock, log))
  try {
    await starting(announce(context, service, log))
  } catch (error) {
    await service.stop()
    throw error
  }
  const signal = await Promise.race([stopSignal, service.exchanged])
  log.info('stopping', { signal })
  await service.stop()
  log.info('stopped')
  // Lines that the reader of the log does not take would keep the process.
  setTimeout(() => process.exit(), lastLinesMs).unref()
  return signal === undefined ? 1 : undefined
}

const lastLinesMs = 2000

const isTerminal = ({ output }: CommandContext) => process.stdout.isTTY && process.stderr.isTTY && !output.isJson

async function announce(context: CommandContext, service: RunningService, log: Log): Promise<void> {
  const { settings, output, flags } = context
  // Last of all that can fail, because the codes of new keys are shown only here.
  const demoKeys = flags.has('demo') ? await listDemoKeys(context, service) : []
  // Printed only at a terminal: elsewhere the link would stay in a log, so it is put into a file of the data folder.
  const isPrinted = process.stderr.isTTY && !output.isJson
  const passwordToken = isPrinted ? await offerPasswordLink(service) : null
  const { https, http, console } = service
  if (output.isJson) output.result({ event: 'listening', https, http, console }, '')
  else log.info('listening', { https, http, console })
  const tokenForFile = isPrinted ? null : await offerPasswordLink(service)
  const linkFile = writeLinkFile(settings, tokenForFile && consoleLink(settings, service, tokenForFile))
  const command = 'run "vitrine admin password"'
  if (tokenForFile !== null)
    log.info('console_without_password', {
      remedy:
        linkFile === null
          ? `To make the first account, ${command}.`
          : `Open the link in ${linkFile} within a day, or ${command}.`,
    })
  if (service.developmentCertificate) log.warn('self_signed_certificate', service.developmentCertificate)
  if (service.lacking.length > 0)
    log.warn('columns_missing', { columns: service.lacking, remedy: 'npx vitrine schema apply' })
  const text = welcomeText(settings, service, { demoKeys, passwordToken, isTerminal: isTerminal(context) })
  for (const line of text.split('\n')) output.remark(line)
  for (const { message, remedy } of findExposures(settings, context.secretFiles)) {
    log.warn('exposed', { problem: message, remedy })
    output.remark(`WARNING: ${message} ${remedy}`)
  }
}

// Every failure to start has the same exit status, so that a supervisor can rely on it.
async function starting<Result>(start: Promise<Result>): Promise<Result> {
  try {
    return await start
  } catch (error) {
    throw new OperatorError(
      error instanceof OperatorError ? error.message : `It cannot start: ${(error as Error).message}`,
    )
  }
}

async function checkFirst({ settings, clock, output }: CommandContext): Promise<void> {
  const { canServe, checkDatabase, whyNot } = await import('../operate/check/check.ts')
  const report = await withProgress(output, (onProgress) =>
    checkDatabase({ settings, clock, scope: 'decisive', onProgress }),
  )
  if (!canServe(report)) throw new OperatorError(whyNot(report).join('\n'), 1)
}

// Existing data is never replaced.
async function makeDemoCompany({ settings, output }: CommandContext): Promise<void> {
  const { demoPlace } = await import('../../demo/load-sqlite.ts')
  const place = await demoPlace(settings.databaseUrl)
  if ((await place.holds()) !== 'nothing') return
  const problems = await placeProblems(settings)
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
  await makeDemo(place, 1, 1, output)
}

// Makes the keys where there is none yet. Codes are printed only for the demo company.
async function listDemoKeys({ settings, output }: CommandContext, { state }: RunningService): Promise<DemoKey[]> {
  const { demoPlace } = await import('../../demo/load-sqlite.ts')
  const place = await demoPlace(settings.databaseUrl)
  const [holds, keys] = await Promise.all([place.holds(), state.listKeys()])
  if (holds !== 'demo') {
    output.remark(`What is in ${place.name} is not the demo company: no demo keys were made.`)
    return []
  }
  if (keys.length > 0) return keys.filter(({ name, revokedAt }) => revokedAt === null && name.startsWith('Demo: '))
  const made = await makeDemoKeys(state)
  return made.map(({ key: { name, accessKey }, securityCode }) => ({ name, accessKey, securityCode }))
}

// Until the console has an account, each start offers a link to make one. It is never logged. A state that does not answer is logged
// elsewhere.
async function offerPasswordLink({ state }: RunningService): Promise<string | null> {
  const token = makeToken()
  return (await state.offerLink(hashSecret(token)).catch(() => false)) ? token : null
}

// The console's page names this file. null: there is no link, or the folder cannot be written to.
function writeLinkFile({ dataDir }: Settings, link: string | null): string | null {
  const path = join(dataDir, 'console-link.txt')
  try {
    rmSync(path, { force: true })
    if (link === null) return null
    makeFolder(dataDir)
    writeFileSync(path, `${link}\n`, { mode: 0o600 })
    return path
  } catch {
    return null
  }
}

// One Ctrl+C can arrive from the terminal, from npm and from the launcher.
const repeatedSignalMs = 1000

// A signal during the start stops the service once it has started; another one ends the process at once.
function nextStopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let stoppingSince: number | undefined
    const stop = (signal: string) => {
      if (stoppingSince !== undefined && performance.now() - stoppingSince > repeatedSignalMs) process.exit(1)
      stoppingSince ??= performance.now()
      resolve(signal)
    }
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop(signal))
  })
}
