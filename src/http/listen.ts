// Listening on a port, and in a sentence why it cannot be done. A named port is listened on so that the next instance of this
// service can listen on it too: whoever takes over is there before the other has gone (Linux alone can do that).
import { createServer, type AddressInfo, type Server } from 'node:net'
import process from 'node:process'
import { OperatorError } from '../errors.ts'

export interface Place {
  readonly host: string
  // 0 picks a free one.
  readonly port: number
  // The settings that name both.
  readonly portSetting: string
  readonly hostSetting?: string
}

const canShare = process.platform === 'linux'

export function listen(server: Server, place: Place): Promise<number> {
  const { host, port } = place
  return new Promise((resolve, reject) => {
    const refuse = (error: Error) => reject(new OperatorError(listenProblem(error, place)))
    server.once('error', refuse)
    server.listen({ host, port, reusePort: canShare && port !== 0 }, () => {
      server.off('error', refuse)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

// Why a port cannot be listened on, found out without serving anybody; undefined when it can. `isOurs`: an instance that is to be
// taken over listens on it. Then nothing is tried: whoever connected meanwhile would be lost.
export function portProblem(place: Place, isOurs: boolean): Promise<string | undefined> {
  const { host, port } = place
  if (isOurs && canShare) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error) => resolve(listenProblem(error, place)))
    probe.listen({ host, port }, () => probe.close(() => resolve(undefined)))
  })
}

function listenProblem(
  error: NodeJS.ErrnoException,
  { host, port, portSetting, hostSetting = 'VITRINE_HOST' }: Place,
): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use by another program; set ${portSetting} to another one.`
    case 'EACCES':
      return `There is no permission to listen on port ${port} of ${host}; set ${portSetting} to a port above 1023.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine; set ${hostSetting} to one that is.`
    default:
      return `Listening on port ${port} of ${host} failed: ${error.message}.`
  }
}
