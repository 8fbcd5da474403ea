// `vitrine blocks clear`: lets a blocked caller try again at once.
import { isIP } from 'node:net'
import { OperatorError } from '../errors.ts'
import { canonicalAddress } from '../http/address.ts'
import { commandLine, withState, type Runnable } from './runnable.ts'

export const blocksClear: Runnable = {
  name: 'blocks clear',
  summary: 'Lets a caller that was blocked at /auth/token, or has to wait at the console, try again.',
  operands: [{ name: 'ADDRESS', help: 'An address as "blocks list" shows it, or any address of that /64.' }],
  options: [],
  async run(context) {
    const given = context.operands[0] ?? ''
    const plain = given.replace(/\/64$/, '')
    if (isIP(plain) === 0) throw new OperatorError(`"${given}" is not an IP address.`)
    const address = canonicalAddress(plain)
    await withState(context, async (state) => {
      const cleared = await state.clearBlocks(address, commandLine())
      const text = cleared > 0 ? `${address} may try again.` : `${address} was not blocked and had no failures.`
      context.output.result({ address, cleared }, text)
    })
  },
}
