// Tills that write over one connection of the test's own process.
import { setTimeout as wait } from 'node:timers/promises'
import type { Place } from './place.ts'

export const writingWith = (write: Place['write']): Pick<Place, 'write' | 'keepWriting'> => ({
  write,
  keepWriting(scripts, pauseMs = 0) {
    const stopped = new AbortController()
    // Always runs all scripts, so that the data is as before at the end.
    const work = (async () => {
      while (!stopped.signal.aborted)
        for (const script of scripts) {
          await write(script)
          if (pauseMs > 0) await wait(pauseMs)
        }
    })()
    return {
      async stop() {
        stopped.abort()
        await work
      },
    }
  },
})
