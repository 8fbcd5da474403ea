// `vitrine keys revoke`: ends a key for good.
import { revokeKey } from '../keys/keys.ts'
import { keyJson, lastUseOf } from './key-text.ts'
import { commandLine, refuseFaults, withState, type Runnable } from './runnable.ts'

export const keysRevoke: Runnable = {
  name: 'keys revoke',
  summary: 'Ends a key and all its live tokens for good.',
  operands: [{ name: 'KEY', help: 'The access key.' }],
  options: [],
  run: (context) =>
    withState(context, async (state) => {
      const { key } = refuseFaults(await revokeKey(state, context.operands[0] ?? '', commandLine()))
      context.output.result(
        keyJson(key, context.clock.now(), await lastUseOf(state, key)),
        `${key.accessKey} (${key.name}) is revoked; its tokens are refused from now on.`,
      )
    }),
}
