// `vitrine keys show`: one key, without its secrets.
import { OperatorError } from '../errors.ts'
import { missingKeyFault } from '../keys/keys.ts'
import { keyJson, keyText, lastUseOf } from './key-text.ts'
import { withState, type Runnable } from './runnable.ts'

export const keysShow: Runnable = {
  name: 'keys show',
  summary: 'Shows one key.',
  operands: [{ name: 'KEY', help: 'The access key.' }],
  options: [],
  run: (context) =>
    withState(context, async (state) => {
      const accessKey = context.operands[0] ?? ''
      const key = await state.findKey(accessKey)
      if (!key) throw new OperatorError((await missingKeyFault(state, accessKey)).sentence)
      const [now, used] = [context.clock.now(), await lastUseOf(state, key)]
      context.output.result(keyJson(key, now, used), keyText(key, now, used))
    }),
}
