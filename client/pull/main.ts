// `pull`: words and environment come in, an exit status goes out; results on stdout, everything for people on stderr.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { createClient, type Client, type ResourceDescription } from '../client.ts'
import { wait } from '../wait.ts'
import { help, readArguments, type PullOptions } from './arguments.ts'
import { trust } from './certificate.ts'
import { explain } from './explain.ts'
import { openFilesStore } from './files-store.ts'
import { progressBar, type Progress } from './progress.ts'
import { pullResource, type Pulled } from './run.ts'
import type { Store } from './store.ts'
import { openTablesStore } from './tables-store.ts'

const pausesMs = [1000, 2000, 4000, 8000, 16_000]
// Longer than any window of a key; a caller that is blocked for a quarter of an hour is told so instead.
const patienceMs = 600_000

class Refused extends Error {}

export async function pull(words: readonly string[]): Promise<number> {
  const read = readArguments(words, process.env, (path) => readFileSync(path, 'utf8'))
  if ('help' in read) return say(process.stdout, help, 0)
  if ('faults' in read) return say(process.stderr, read.faults.map((fault) => `vitrine: ${fault}`).join('\n'), 2)
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, onSignal)
  try {
    await mirror(read.options, stop.signal)
    return 0
  } catch (error) {
    if (stop.signal.aborted) return say(process.stderr, 'Stopped. The next run goes on from here.', 130)
    return say(process.stderr, `vitrine: ${error instanceof Refused ? error.message : explain(error, read.options)}`, 1)
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, onSignal)
  }
}

async function mirror(options: PullOptions, signal: AbortSignal): Promise<void> {
  const { url, clientId, clientSecret, isJson, everySeconds } = options
  if (options.certificate !== null) trust(options.certificate)
  let bar = progressBar({ stream: process.stderr, quiet: isJson })
  const remark = (text: string) => {
    bar.clear()
    process.stderr.write(`${text}\n`)
  }
  const onWait = ({ seconds, code }: { seconds: number; code: string }) => {
    const why = code === 'rate_limited' ? "the key's requests of this minute are used up" : code
    if (seconds > 3) remark(`Waiting ${seconds} seconds: ${why}.`)
  }
  const client = createClient({ url, clientId, clientSecret, patienceMs, onWait })
  const store = options.format === 'sqlite' ? openTablesStore(options.to) : openFilesStore(options.to, options.format)
  try {
    const wanted = await choose(client, options, signal)
    checkOrigin(store, options)
    const work = {
      client,
      store,
      isWithoutLines: options.isWithoutLines,
      signal,
      onProgress: (progress: Progress) => bar.update(progress),
      remark,
      pausesMs,
    }
    for (let isAnew = options.isAnew; ; isAnew = false) {
      for (const resource of wanted) {
        const pulled = await pullResource(work, resource, isAnew)
        bar.clear()
        bar = progressBar({ stream: process.stderr, quiet: isJson })
        report(pulled, isJson)
      }
      if (everySeconds === null) return
      await wait(everySeconds * 1000, signal)
    }
  } finally {
    bar.clear()
    store.close()
  }
}

// The resources by name, as far as this key may read them.
async function choose(
  client: Client,
  { resources }: PullOptions,
  signal: AbortSignal,
): Promise<readonly ResourceDescription[]> {
  const readable = await client.resources({ signal })
  const names = readable.map(({ name }) => name as string)
  const unknown = resources.filter((name) => !names.includes(name))
  if (names.length === 0) throw new Refused('This key may read no resource.')
  if (unknown.length > 0)
    throw new Refused(
      `This key cannot read ${unknown.map((name) => `"${name}"`).join(' and ')}. What it can read: ${names.join(', ')}.`,
    )
  return resources.length === 0 ? readable : readable.filter(({ name }) => resources.includes(name))
}

// Two services in one mirror would be neither.
function checkOrigin(store: Store, { url, clientId, to, isAnew }: PullOptions): void {
  const origin = `${new URL(url).host} with the key ${clientId}`
  if (store.origin !== null && store.origin !== origin && !isAnew)
    throw new Refused(
      `${resolve(to)} is a mirror of ${store.origin}, not of ${origin}: name another place with --to, or read everything again with --anew.`,
    )
  if (store.origin !== origin) store.setOrigin(origin)
}

function report({ resource, changed, total }: Pulled, isJson: boolean): void {
  if (isJson) process.stdout.write(`${JSON.stringify({ resource, changed, total })}\n`)
  else
    process.stderr.write(
      `${resource.padEnd(16)} ${total.toLocaleString('en').padStart(11)} records, ${changed === 0 ? 'nothing new' : `${changed.toLocaleString('en')} new or changed`}\n`,
    )
}

function say(stream: NodeJS.WritableStream, text: string, status: number): number {
  stream.write(`${text}\n`)
  return status
}
