// What the rows of one engine share: the company, its service, the servers it is compared with, and the load. Parts that
// not every row needs start on first use.
import { constants } from 'node:os'
import { residentMb } from './cpu.ts'
import { startBare, type Recording } from './bare.ts'
import { openCompany, secondFolder, type Company, type EngineName } from './company.ts'
import { atEnd } from './ending.ts'
import { startGenerator, type Done, type Job } from './load/generator.ts'
import type { Options } from './options.ts'
import { detailPaths, filteredPaths } from './samples.ts'
import { startPeer } from './peer/server.ts'
import type { Place } from './ask.ts'
import { startService, type KeyName, type Service } from './service.ts'
import { startWriter } from './writer.ts'

export interface Site {
  readonly company: Company
  readonly service: Service
}

/** Where requests go, and their token. */
export interface Target {
  readonly place: Place
  readonly token: string
}

export type Bench = Awaited<ReturnType<typeof openBench>>

const sampleEveryMs = 100

export async function openBench(options: Options, engine: EngineName, say: (text: string) => void) {
  const openSite = async (scale: number): Promise<Site> => {
    const company = await openCompany(engine, scale, say)
    const service = await startService(company)
    await warmUp({ company, service })
    return { company, service }
  }
  // Lets the code be compiled, with none of the pages that are measured later.
  const warmUp = async ({ company, service }: Site) => {
    const paths = [...(await detailPaths(company.queries, 1000)), ...(await filteredPaths(company, 10, 200))]
    const job = { place: service.place, token: await service.token(), paths, connections: 4 }
    await run({ ...job, seconds: options.seconds })
  }
  // On SQLite the service runs at lower priority than the tills. The load and the servers it is compared with do, too.
  const niceness = engine === 'sqlite' ? constants.priority.PRIORITY_BELOW_NORMAL : constants.priority.PRIORITY_NORMAL
  const generators = [startGenerator(niceness), startGenerator(niceness)]
  const run = (job: Job, generator = 0): Promise<Done> => {
    const chosen = generators[generator]
    if (!chosen) throw new Error('there are two generators')
    return chosen.ask(job)
  }
  const site = await openSite(options.scale)
  let small: Promise<Site> | undefined
  let second: Promise<Service> | undefined
  const peers: Promise<Target>[] = []
  let writer: ReturnType<typeof startWriter> | undefined
  // Resident memory of the service while it is under load.
  const memory: number[] = []
  const stopWriting = async () => {
    if (!writer) return
    const { written, lateMs } = await writer.ask('stop')
    site.company.markChanged(false)
    await writer.close()
    writer = undefined
    say(`the POS wrote ${written} documents, the latest ${lateMs.toFixed(0)} ms late`)
  }

  return {
    options,
    engine,
    ...site,
    run,
    memory,
    target: async (key?: KeyName): Promise<Target> => ({
      place: site.service.place,
      token: await site.service.token(key),
    }),
    small: () => (small ??= openSite(options.smallScale)),
    /** Another instance of the service. */
    second: () => (second ??= startService(site.company, secondFolder(site.company.folder))),
    async stopSecond() {
      await (await second)?.stop()
      second = undefined
    },
    /** There may be several of them. */
    peer: (number = 0) =>
      (peers[number] ??= (async () => {
        const child = startPeer(niceness)
        const [token, url] = ['peer', site.company.settings['VITRINE_DATABASE_URL'] ?? '']
        const { place, key } = site.service
        return { place: { port: await child.ask({ url, token, cert: place.ca, key }), ca: place.ca }, token }
      })()),
    /** Runs the work with a bare server that has recorded the answers to these paths. */
    async withBare<Value>(paths: readonly string[], work: (bare: Target) => Promise<Value>): Promise<Value> {
      const child = startBare(niceness)
      try {
        const { place, key } = site.service
        const token = await site.service.token()
        const recording: Recording = { from: place, token, paths, cert: place.ca, key }
        return await work({ place: { port: await child.ask(recording), ca: place.ca }, token })
      } finally {
        await child.close()
      }
    },
    async watchMemory<Value>(work: () => Promise<Value>): Promise<Value> {
      const sample = setInterval(() => memory.push(residentMb(site.service.pid)), sampleEveryMs)
      return work().finally(() => clearInterval(sample))
    },
    async startWriting(): Promise<void> {
      if (writer) return
      site.company.markChanged(true)
      writer = startWriter()
      atEnd(stopWriting)
      await writer.ask({ start: site.company.settings['VITRINE_DATABASE_URL'] ?? '' })
    },
    stopWriting,
  }
}
