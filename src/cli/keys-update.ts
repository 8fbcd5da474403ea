// `vitrine keys update`: changes what a key may do; live tokens follow at once.
import { updateKey } from '../keys/keys.ts'
import { keyInput, keyOptions } from './key-options.ts'
import { remarkOnKey } from './key-remarks.ts'
import { keyJson, keyText, lastUseOf } from './key-text.ts'
import { commandLine, refuseFaults, withState, type Runnable } from './runnable.ts'

export const keysUpdate: Runnable = {
  name: 'keys update',
  summary: 'Changes a key; its live tokens follow at once.',
  operands: [{ name: 'KEY', help: 'The access key.' }],
  options: [
    ...keyOptions,
    { name: 'disable', help: 'Refuses the key and its tokens until it is enabled again.' },
    { name: 'enable', help: 'Lets a disabled key in again.' },
  ],
  run: (context) =>
    withState(context, async (state) => {
      const { operands, options, flags, output, clock } = context
      const input = { ...keyInput(options, context), enable: flags.has('enable'), disable: flags.has('disable') }
      const { key } = refuseFaults(await updateKey(state, operands[0] ?? '', input, commandLine()))
      const [now, used] = [clock.now(), await lastUseOf(state, key)]
      output.result(keyJson(key, now, used), keyText(key, now, used))
      await remarkOnKey(context, key)
    }),
}
