// A way to a server that can be long, and can fall silent, as a cut cable or a firewall does it: connections stay open, and
// nothing comes through any more, not even that the other side has gone.
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Proxy {
  readonly port: number
  /** Connections that are open now stay silent forever. */
  silence(): void
  /** Breaks those that are open now. */
  cut(): void
  /** A connection whose client sends this text is silent from there on; null: none. */
  silenceAt(text: string | null): void
  close(): Promise<void>
}

export interface Delays {
  /** Delay of the server's answers. */
  readonly answersMs: number
  /** Delay of every second cancel request; each has its own connection. */
  readonly cancelsMs: number
}

// PostgreSQL's protocol, section 54.7: CancelRequest.
const isCancel = (chunk: Buffer) => chunk.length >= 16 && chunk.readInt32BE(4) === 80877102

export async function startProxy(
  to: { host: string; port: number },
  { answersMs, cancelsMs }: Delays = { answersMs: 0, cancelsMs: 0 },
): Promise<Proxy> {
  const open = new Set<{ isSilent: boolean; sides: readonly Socket[] }>()
  let last: string | null = null
  let cancels = 0
  // A silent connection does not even take leave.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const target = connect(to.port, to.host)
    const pair = { isSilent: false, sides: [client, target] }
    open.add(pair)
    let cancelMs = 0
    const toServer = (act: () => void) => {
      if (cancelMs > 0) setTimeout(act, cancelMs)
      else act()
    }
    const toClient = (act: () => void) => {
      setTimeout(() => {
        if (!pair.isSilent) act()
      }, answersMs)
    }
    client.on('error', () => {})
    target.on('error', () => {})
    client.on('data', (chunk) => {
      if (isCancel(chunk)) cancelMs = (cancels += 1) % 2 === 0 ? cancelsMs : 0
      if (last !== null && chunk.includes(last)) pair.isSilent = true
      if (!pair.isSilent) toServer(() => target.write(chunk))
    })
    client.on('end', () => {
      if (!pair.isSilent) toServer(() => target.end())
    })
    client.on('close', () => {
      open.delete(pair)
      toServer(() => target.destroy())
    })
    target.on('data', (chunk) => toClient(() => client.write(chunk)))
    target.on('close', () => toClient(() => client.destroySoon()))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const cut = () => {
    for (const { sides } of open) for (const side of sides) side.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    silence() {
      for (const pair of open) pair.isSilent = true
    },
    cut,
    silenceAt: (text) => (last = text),
    async close() {
      const closed = once(server.close(), 'close')
      cut()
      await closed
    },
  }
}
