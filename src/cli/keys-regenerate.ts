// `vitrine keys regenerate`: a new security code; the old one and all live tokens end at once.
import { regenerateKey } from '../keys/keys.ts'
import { newKeyJson, newKeyText } from './key-text.ts'
import { commandLine, refuseFaults, withState, type Runnable } from './runnable.ts'

export const keysRegenerate: Runnable = {
  name: 'keys regenerate',
  summary: 'Makes a new security code; the old one and all live tokens end at once.',
  operands: [{ name: 'KEY', help: 'The access key.' }],
  options: [],
  run: (context) =>
    withState(context, async (state) => {
      const { key, securityCode } = refuseFaults(await regenerateKey(state, context.operands[0] ?? '', commandLine()))
      context.output.result(newKeyJson(key, securityCode), newKeyText(key, context.clock.now(), securityCode))
    }),
}
