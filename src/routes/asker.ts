// Who asks the engine. The signal of a hang-up is made only for a request that waits for a reader.
import type { Asker } from '../engine/engine.ts'
import type { Call } from '../http/exchange.ts'
import type { Caller } from '../state/state.ts'

export const askerOf = (call: Call, { accessKey }: Caller): Asker => ({
  key: accessKey,
  get signal() {
    return call.hangUp.signal
  },
})
