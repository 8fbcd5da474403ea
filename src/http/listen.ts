// Listens on a port, or says in a sentence why that is impossible. A fixed port is shared (SO_REUSEPORT, Linux only), so that the
// instance that takes over listens before the old one stops.
import { createServer, type AddressInfo, type Server } from 'node:net'
import process from 'node:process'
import { OperatorError } from '../errors.ts'

export interface ListenAddress {
  readonly host: string
  // 0: any free port.
  readonly port: number
  // The settings that name port and host.
  readonly portSetting: string
  readonly hostSetting?: string
}

const canShare = process.platform === 'linux'

export function listen(server: Server, place: ListenAddress): Promise<number> {
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

// Why a port cannot be used, if so. `isOurs`: the instance that is to be replaced listens on it. Then nothing is tried, because a
// caller that connects to the probe would be lost.
export function portProblem(place: ListenAddress, isOurs: boolean): Promise<string | undefined> {
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
  { host, port, portSetting, hostSetting = 'VITRINE_HOST' }: ListenAddress,
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
