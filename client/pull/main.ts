// `pull`: options → exit status. Results go to stdout, messages to stderr.
import process from 'node:process'
import { resolve } from 'node:path'
import { printableLine } from '../../src/terminal/printable.ts'
import type { Streams } from '../../src/terminal/command.ts'
import { progressBar, type ProgressStream } from '../../src/terminal/progress.ts'
import { createClient } from '../client.ts'
import { wait } from '../wait.ts'
import { pullByFeed } from './by-feed.ts'
import { pullByList } from './by-list.ts'
import { openSqliteMirror, type MirrorDatabase } from './database.ts'
import { trust, explain } from './explain.ts'
import { openFilesStore } from './files-store.ts'
import { isFeed, retried, withRetries, type PullJob, type PullResult } from './job.ts'
import { targetText, type PullOptions, type Target } from './options.ts'
import { positionsOf, remarkLost } from './positions.ts'
import { openPostgresMirror, TargetLost } from './postgres.ts'
import { Refused, type Mirror, type Store } from './store.ts'
import { openTablesStore } from './tables-store.ts'

const pausesMs = [1000, 2000, 4000, 8000, 16_000]
// Longer than any rate window; shorter than a block of a quarter of an hour, which is reported instead.
const patienceMs = 600_000
const signOffMs = 2000
const stopSignals = ['SIGINT', 'SIGTERM'] as const
// Refusals that say when to ask again.
const codesThatSayWhen = new Set(['rate_limited', 'too_many_attempts', 'temporarily_unavailable', 'api_not_enabled'])

export async function pull(options: PullOptions, streams: Streams): Promise<number> {
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  // Ctrl-C also reaches the launcher, which passes it on: this second signal must not kill.
  for (const name of stopSignals) process.on(name, onSignal)
  try {
    await mirror(options, streams, stop.signal)
    return 0
  } catch (error) {
    if (stop.signal.aborted) return say(streams, 'Stopped. The next run continues from here.', 130)
    const why = error instanceof Refused ? error.message : explain(error, options)
    return say(streams, `vitrine: ${why}`, 1)
  } finally {
    for (const name of stopSignals) process.off(name, onSignal)
    // Ends pending pauses.
    stop.abort()
  }
}

async function mirror(options: PullOptions, { stdout, stderr }: Streams, signal: AbortSignal): Promise<void> {
  const { url, clientId, clientSecret, isJson, everySeconds } = options
  if (options.certificate !== null) trust(options.certificate)
  const bar = progressBar({ stream: stderr, quiet: isJson })
  const remark = (text: string) => {
    bar.clear()
    stderr.write(`${printableLine(text)}\n`)
  }
  let waitsUntilMs = 0
  const onWait = ({ seconds, code }: { seconds: number; code: string }) => {
    // Reports once if several requests wait.
    if (seconds <= 3 || Date.now() < waitsUntilMs) return
    waitsUntilMs = Date.now() + seconds * 1000
    remark(
      codesThatSayWhen.has(code)
        ? `Waiting ${seconds} s, as the service asks (${code}).`
        : `The service does not answer. The next attempt is in ${seconds} s.`,
    )
  }
  const client = createClient({ url, clientId, clientSecret, patienceMs, onWait })
  const patience = { signal, remark, pausesMs, isWatching: everySeconds !== null }
  const store = await openTarget(options.target, patience)
  try {
    const job: PullJob = {
      ...patience,
      client,
      store,
      names: options.resources,
      mirror: await mirrorOf(store, options),
      onProgress: (progress) => bar.update(progress),
    }
    // Without retries: at the start, a service that does not answer is reported at once.
    let positions = await positionsOf(job, options.isAnew)
    if (!positions.every(isFeed)) remark('The service has no change feed, so every run reads everything.')
    for (let round = 1; ; round++) {
      const results: PullResult[] = []
      for (const position of positions)
        results.push(...(isFeed(position) ? await pullByFeed(job, position) : [await pullByList(job, position)]))
      bar.clear()
      if (round === 1) await remarkLost(job)
      if (isJson) for (const result of results) stdout.write(`${JSON.stringify(result)}\n`)
      else report(results, positions.every(isFeed) ? 'new or changed' : 'read', stderr)
      if (everySeconds === null) return
      await wait(everySeconds * 1000, signal)
      positions = await withRetries(job, () => positionsOf(job, false))
    }
  } finally {
    bar.clear()
    await store.close()
    // A failure does not matter: the token expires soon.
    await client.signOff({ signal: AbortSignal.timeout(signOffMs) }).catch(() => {})
  }
}

async function openTarget(target: Target, patience: Parameters<typeof retried>[0]): Promise<Store> {
  switch (target.kind) {
    case 'files':
      return await openFilesStore(target.path)
    case 'sqlite':
      return await tablesIn(await openSqliteMirror(target.path))
    case 'postgres':
      return await tablesIn(
        await openPostgresMirror(target.url, target.schema, (attempt) =>
          retried(patience, attempt, (error) => error instanceof TargetLost),
        ),
      )
  }
}

async function tablesIn(database: MirrorDatabase): Promise<Store> {
  try {
    return await openTablesStore(database)
  } catch (error) {
    // An open connection would keep the process alive.
    await database.close()
    throw error
  }
}

async function mirrorOf(store: Store, options: PullOptions): Promise<Mirror> {
  const { url, clientId, target, isAnew } = options
  const before = await store.mirror()
  const wanted: Mirror = {
    origin: `${new URL(url).host} with the key ${clientId}`,
    format: options.format ?? before?.format ?? 'ndjson',
    isRawText: options.isRawText || (options.format === null && before?.isRawText === true),
    isWithoutLines: options.isWithoutLines ?? before?.isWithoutLines ?? false,
  }
  if (!before || isAnew || JSON.stringify(before) === JSON.stringify(wanted)) return wanted
  const place = target.kind === 'postgres' ? targetText(target) : resolve(target.path)
  const [is, not] =
    before.origin === wanted.origin
      ? [formatOf(before), formatOf(wanted)]
      : [`of ${before.origin}`, `of ${wanted.origin}`]
  throw new Refused(
    `${place} is a mirror ${is}, not ${not}: name another place with --to, or read everything again with --anew.`,
  )
}

const formatOf = ({ format, isRawText, isWithoutLines }: Mirror) =>
  [
    format === 'tables' ? 'in tables' : `in ${format.toUpperCase()} files`,
    ...(isRawText ? ['with raw text'] : []),
    ...(isWithoutLines ? ['without lines'] : []),
  ].join(' ')

const number = (value: number) => value.toLocaleString('en')

function report(results: readonly PullResult[], came: string, stderr: ProgressStream): void {
  const news = results.filter(({ changed, gone }) => changed + gone > 0)
  for (const { resource, changed, gone, total } of news)
    stderr.write(
      `${resource.padEnd(16)} ${number(total).padStart(11)} ${total === 1 ? 'record' : 'records'}, ${[
        ...(changed > 0 ? [`${number(changed)} ${came}`] : []),
        ...(gone > 0 ? [`${number(gone)} gone`] : []),
      ].join(', ')}\n`,
    )
  const quiet = results.filter((result) => !news.includes(result))
  const records = quiet.reduce((sum, { total }) => sum + total, 0)
  if (quiet.length > 0)
    stderr.write(
      `Nothing new in ${quiet.length === 1 ? quiet[0]?.resource : `${quiet.length} resources`} (${number(records)} records).\n`,
    )
}

function say({ stderr }: Streams, text: string, status: number): number {
  stderr.write(`${printableLine(text)}\n`)
  return status
}
