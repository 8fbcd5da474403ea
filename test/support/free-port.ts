// A port that a test names itself: where a service comes back to the port it had, where a file has to say it, and where
// nothing may listen at all. Tests that can use port 0, and keep the port they get, do that instead.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const given = new Set<number>()

/** Below the ports that are given to outgoing connections and for port 0: it is hardly ever taken before it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000)
    if (given.has(port)) continue
    const probe = createServer()
    const opened = once(probe.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    )
    if (!(await opened)) continue
    await once(probe.close(), 'close')
    given.add(port)
    return port
  }
}
