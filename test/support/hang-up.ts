// Callers that send a request and hang up before the answer is there, over HTTP/1.1 and HTTP/2.
import { readFileSync } from 'node:fs'
import { connect, constants, type ClientHttp2Session } from 'node:http2'
import { request } from 'node:https'
import type { Server } from './process.ts'

export interface Target {
  readonly server: Server
  readonly token: string
}

/** Sends a request; the returned function hangs up. */
export type HangUp = (target: Target, path: string) => () => void

export const overHttp1: HangUp = ({ server, token }, path) => {
  const asked = request({
    host: '127.0.0.1',
    port: server.https,
    ca: readFileSync(server.certificate),
    path: `/api/v1${path}`,
    headers: { Authorization: `Bearer ${token}` },
    agent: false,
  })
  asked.on('error', () => {})
  asked.on('response', (response) => response.resume())
  asked.end()
  return () => asked.destroy()
}

export function connectHttp2({ server }: Target): ClientHttp2Session {
  const session = connect(`https://127.0.0.1:${server.https}`, { ca: readFileSync(server.certificate) })
  return session.on('error', () => {})
}

export function streamOf(session: ClientHttp2Session, { token }: Target, path: string): () => void {
  const stream = session.request({ ':path': `/api/v1${path}`, authorization: `Bearer ${token}` })
  stream.on('error', () => {})
  stream.resume()
  return () => stream.close(constants.NGHTTP2_CANCEL)
}

export const overStream: HangUp = (target, path) => {
  const session = connectHttp2(target)
  const hangUp = streamOf(session, target, path)
  return () => {
    hangUp()
    session.close()
  }
}

export const overSession: HangUp = (target, path) => {
  const session = connectHttp2(target)
  streamOf(session, target, path)
  return () => session.destroy()
}
