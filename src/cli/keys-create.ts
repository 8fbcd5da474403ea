// `vitrine keys create`: a new key; its security code is shown once.
import { createKey } from '../keys/keys.ts'
import { keyInput, keyOptionFaults, keyOptions } from './key-options.ts'
import { remarkOnKey } from './key-remarks.ts'
import { newKeyJson, newKeyText } from './key-text.ts'
import { commandLine, refuseFaults, withState, type Runnable } from './runnable.ts'

export const keysCreate: Runnable = {
  name: 'keys create',
  summary: 'Makes a key and prints its access key and its security code, once.',
  operands: [],
  options: keyOptions.map((option) => ({ ...option, required: ['name', 'permissions'].includes(option.name) })),
  check: keyOptionFaults,
  run: (context) =>
    withState(
      context,
      async (state) => {
        const { options, clock, output } = context
        const made = await createKey(state, keyInput(options, context), commandLine())
        const { key, securityCode } = refuseFaults(made)
        output.result(newKeyJson(key, securityCode), newKeyText(key, clock.now(), securityCode))
        await remarkOnKey(context, key)
      },
      'create',
    ),
}
