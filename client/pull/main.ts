// `pull`: arguments and environment → exit status. Results go to stdout, messages to stderr.
import process from 'node:process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createClient } from '../client.ts'
import { wait } from '../wait.ts'
import { help, readArguments, type PullOptions } from './arguments.ts'
import { trust, explain } from './explain.ts'
import { choose } from './choose.ts'
import { Refused, type Store } from './store.ts'
import { openFilesStore } from './files-store.ts'
import { printable, printableLine } from './printable.ts'
import { progressBar, type Progress } from './progress.ts'
import { pullResource, withRetries, type PullResult } from './run.ts'
import { openTablesStore } from './tables-store.ts'

const pausesMs = [1000, 2000, 4000, 8000, 16_000]
// Longer than any rate window; shorter than a block of a quarter of an hour, which is reported instead.
const patienceMs = 600_000
const signOffMs = 2000

export async function pull(words: readonly string[]): Promise<number> {
  const read = readArguments(words, process.env, (path) => readFileSync(path, 'utf8'))
  if ('help' in read) return say(process.stdout, help, 0)
  if ('faults' in read)
    return say(process.stderr, read.faults.map((fault) => `vitrine: ${printableLine(fault)}`).join('\n'), 2)
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, onSignal)
  try {
    await mirror(read.options, stop.signal)
    return 0
  } catch (error) {
    if (stop.signal.aborted) return say(process.stderr, 'Stopped. The next run continues from here.', 130)
    const why = error instanceof Refused ? error.message : explain(error, read.options)
    return say(process.stderr, `vitrine: ${printableLine(why)}`, 1)
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, onSignal)
    // Ends pending pauses.
    stop.abort()
  }
}

async function mirror(options: PullOptions, signal: AbortSignal): Promise<void> {
  const { url, clientId, clientSecret, isJson, everySeconds } = options
  if (options.certificate !== null) trust(options.certificate)
  let bar = progressBar({ stream: process.stderr, quiet: isJson })
  const remark = (text: string) => {
    bar.clear()
    process.stderr.write(`${printableLine(text)}\n`)
  }
  let waitsUntilMs = 0
  const onWait = ({ seconds, code }: { seconds: number; code: string }) => {
    // Reports once if several requests wait.
    if (seconds <= 3 || Date.now() < waitsUntilMs) return
    waitsUntilMs = Date.now() + seconds * 1000
    remark(`Waiting ${seconds} s, as the service asks (${code}).`)
  }
  const client = createClient({ url, clientId, clientSecret, patienceMs, onWait })
  const { to, format } = options
  const store = format === 'sqlite' ? openTablesStore(to) : openFilesStore(to, format, options.isRawText)
  try {
    const origin = originOf(store, options)
    let chosen = await choose(client, options, signal, remark)
    if (store.origin !== origin) takeOver(store, origin)
    // All at once, so that a run that is stopped here reads all of them again the next time.
    if (options.isAnew) for (const resource of chosen.wanted) store.begin(resource)
    for (const name of store.names())
      if (!chosen.readable.includes(name))
        remark(`${name}: this key may no longer read it; what is in the mirror stays as it was.`)
    const isWatching = everySeconds !== null
    const work = {
      client,
      store,
      isWithoutLines: options.isWithoutLines,
      signal,
      onProgress: (progress: Progress) => bar.update(progress),
      remark,
      pausesMs,
      isWatching,
      overlapSeconds: options.overlapSeconds,
    }
    for (;;) {
      for (const resource of chosen.wanted) {
        const pulled = await pullResource(work, resource)
        bar.clear()
        bar = progressBar({ stream: process.stderr, quiet: isJson })
        report(pulled, isJson)
      }
      if (everySeconds === null) return
      await wait(everySeconds * 1000, signal)
      // The rights of the key may have changed.
      chosen = await withRetries(work, () => choose(client, options, signal, remark))
    }
  } finally {
    bar.clear()
    store.close()
    // A failure does not matter: the token expires soon.
    await client.signOff({ signal: AbortSignal.timeout(signOffMs) }).catch(() => {})
  }
}

// A mirror belongs to one service and key.
function originOf(store: Store, { url, clientId, to, isAnew }: PullOptions): string {
  const origin = `${new URL(url).host} with the key ${clientId}`
  if (store.origin !== null && store.origin !== origin && !isAnew)
    throw new Refused(
      `${resolve(to)} is a mirror of ${store.origin}, not of ${origin}: name another place with --to, or read everything again with --anew.`,
    )
  return origin
}

// Called after the first successful request.
function takeOver(store: Store, origin: string): void {
  if (store.origin !== null) store.clear()
  store.setOrigin(origin)
}

function report({ resource, changed, total }: PullResult, isJson: boolean): void {
  if (isJson) process.stdout.write(`${JSON.stringify({ resource, changed, total })}\n`)
  else
    process.stderr.write(
      `${resource.padEnd(16)} ${total.toLocaleString('en').padStart(11)} records, ${changed === 0 ? 'nothing new' : `${changed.toLocaleString('en')} new or changed`}\n`,
    )
}

function say(stream: NodeJS.WritableStream, text: string, status: number): number {
  stream.write(`${printable(text)}\n`)
  return status
}
