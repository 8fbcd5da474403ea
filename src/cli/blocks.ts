// `vitrine blocks list` and `blocks clear`: callers that are blocked at /auth/token.
import { table } from './output.ts'
import { withState, commandLine, type Runnable } from './command.ts'
import { isIP } from 'node:net'
import { OperatorError } from '../errors.ts'
import { canonicalAddress } from '../http/address.ts'

export const blocksList: Runnable = {
  name: 'blocks list',
  summary: 'Lists the callers that are blocked at /auth/token.',
  run: (context) =>
    withState(context, async (state) => {
      const { output } = context
      const blocks = (await state.listBlocks()).map(({ until, accessKey, ...block }) => ({
        ...block,
        client_id: accessKey,
        until: new Date(until).toISOString(),
      }))
      if (output.isJson) return blocks.forEach((block) => output.result(block, ''))
      if (blocks.length === 0) return output.remark('No caller is blocked.')
      const rows = blocks.map((block) => [
        block.address,
        block.scope,
        String(block.failures),
        block.until,
        block.client_id ?? (block.scope === 'key' ? '(unknown key)' : ''),
      ])
      output.result(null, table([['ADDRESS', 'BLOCKED FOR', 'FAILURES', 'UNTIL', 'ACCESS KEY'], ...rows]))
    }),
}

export const blocksClear: Runnable = {
  name: 'blocks clear',
  summary: 'Unblocks a caller of /auth/token or of the console.',
  operands: [{ name: 'ADDRESS', help: 'An address as "blocks list" shows it, or any address of that /64.' }],
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
