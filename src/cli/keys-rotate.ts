// `vitrine keys rotate`: a new security code beside the present one, which ends after an overlap; tokens go on.
import { OperatorError } from '../errors.ts'
import { finishRotation, oldCodeUntil, overlapFaults, rotateKey, usualOverlap } from '../keys/rotation.ts'
import { keyJson, lastUseOf, momentOf, newKeyJson, newKeyText } from './key-text.ts'
import { commandLine, refuseFaults, withState, type Runnable } from './runnable.ts'

export const keysRotate: Runnable = {
  name: 'keys rotate',
  summary: 'Makes a new security code; the present one goes on beside it for a while, and live tokens go on.',
  details:
    'Hand the new code over and have the client system use it. The old code ends by itself after the overlap, or at once with --finish.',
  operands: [{ name: 'KEY', help: 'The access key.' }],
  options: [
    {
      name: 'overlap',
      value: 'TIME',
      help: `How long both codes work, from 1m to 30d: 30m, 24h, 7d (default: ${usualOverlap}).`,
    },
    { name: 'finish', help: 'Ends the old code of a rotation now; makes no new one.' },
  ],
  check: ({ overlap }) => (overlap === undefined ? [] : overlapFaults(overlap).map(({ sentence }) => sentence)),
  run: (context) =>
    withState(context, async (state) => {
      const { operands, options, flags, clock, output } = context
      const accessKey = operands[0] ?? ''
      if (flags.has('finish')) {
        if (options['overlap'] !== undefined) throw new OperatorError('Give --overlap or --finish, not both.')
        const { key } = refuseFaults(await finishRotation(state, accessKey, commandLine()))
        output.result(
          keyJson(key, clock.now(), await lastUseOf(state, key)),
          `The old security code of ${key.accessKey} (${key.name}) is refused from now on; its tokens go on.`,
        )
        return
      }
      const { key, securityCode } = refuseFaults(await rotateKey(state, accessKey, options['overlap'], commandLine()))
      const now = clock.now()
      output.result(
        { ...newKeyJson(key, securityCode), old_code_until: momentOf(oldCodeUntil(key, now)) },
        newKeyText(key, now, securityCode),
      )
    }),
}
