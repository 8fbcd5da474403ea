// Callers that do not read their answers, in their own process. A job opens connections, each from its own address; they stay open
// until the service or the benchmark closes them.
import { once } from 'node:events'
import { connect } from 'node:tls'
import { flags, frame, header, openHttp2, request, types, windowOf } from '../../test/support/frames.ts'
import type { Place } from '../ask.ts'
import { answerParent, startChild } from '../child.ts'

/** `window`: HTTP/2 with a receive window of 0; `socket`: HTTP/2 with a large window and an unread socket; `pipeline`: HTTP/1.1. */
export type Way = 'window' | 'socket' | 'pipeline'

export interface HoldJob {
  readonly place: Place
  readonly way: Way
  readonly paths: readonly string[]
  readonly token?: string
  readonly answers: number
  readonly perConnection: number
}

export const startHolder = () => startChild<HoldJob, number>(new URL(import.meta.url))

const pingEveryMs = 2000
const stops: (() => void)[] = []

/** Returns the number of connections. */
async function hold(job: HoldJob): Promise<number> {
  const connections = Math.ceil(job.answers / job.perConnection)
  for (let at = 0; at < connections; at += 1) {
    const paths = Array.from({ length: job.perConnection }, (_, turn) => pathOf(job, at * job.perConnection + turn))
    await (job.way === 'pipeline' ? holdPlain : holdStreams)(job, paths, `127.1.${at >> 7}.${1 + (at & 127)}`)
  }
  return connections
}

const pathOf = ({ paths }: HoldJob, turn: number) => paths[turn % paths.length] ?? ''

async function holdStreams({ place, way, token }: HoldJob, paths: readonly string[], localAddress: string) {
  const isWindow = way === 'window'
  const one = await openHttp2(place.port, isWindow, localAddress)
  const more = token === undefined ? [] : [header('authorization', `Bearer ${token}`)]
  const asked = paths.map((path, at) =>
    frame(types.headers, flags.endHeaders | flags.endStream, 2 * at + 1, request(path, 'GET', more)),
  )
  const wide = Buffer.of(0x3f, 0xff, 0, 0)
  const first = isWindow ? [windowOf(0)] : [windowOf(2 ** 31 - 1), frame(types.windowUpdate, 0, 0, wide)]
  // Pings show that the caller is alive.
  const ping = setInterval(() => void one.send(frame(types.ping, 0, 0, Buffer.alloc(8))), pingEveryMs)
  one.socket.once('close', () => clearInterval(ping))
  stops.push(() => one.socket.destroy())
  await one.send(Buffer.concat([...first, ...asked]))
}

async function holdPlain({ place, token }: HoldJob, paths: readonly string[], localAddress: string) {
  const from = { localAddress }
  const socket = connect({ host: '127.0.0.1', port: place.port, ca: place.ca, ...from })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  socket.pause()
  stops.push(() => socket.destroy())
  const bearer = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${bearer}\r\n`).join(''))
}

if (import.meta.main) {
  answerParent(hold, () => {
    for (const stop of stops) stop()
  })
}
