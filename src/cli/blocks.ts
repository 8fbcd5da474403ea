// `vitrine blocks list` and `blocks clear`: callers that are blocked at /auth/token.
import { showList } from './output.ts'
import { withState, commandLine, type Runnable } from './command.ts'
import { isIP } from 'node:net'
import { canonicalAddress } from '../http/address.ts'

export const blocksList: Runnable = {
  name: 'blocks list',
  summary: 'Lists the callers that are blocked at /auth/token.',
  run: withState(async (state, { output }) => {
    const blocks = (await state.listBlocks()).map(({ until, accessKey, ...block }) => ({
      ...block,
      client_id: accessKey,
      until: new Date(until).toISOString(),
    }))
    showList(output, blocks, {
      none: 'No caller is blocked.',
      headings: ['ADDRESS', 'BLOCKED FOR', 'FAILURES', 'UNTIL', 'ACCESS KEY'],
      row({ address, scope, failures, until, client_id: id }) {
        return [address, scope, String(failures), until, id ?? (scope === 'key' ? '(unknown key)' : '')]
      },
    })
  }),
}

export const blocksClear: Runnable = {
  name: 'blocks clear',
  summary: 'Unblocks a caller of /auth/token or of the console.',
  operands: [{ name: 'ADDRESS', help: 'An address as "blocks list" shows it, or any address of that /64.' }],
  check: (_options, [given]) =>
    given === undefined || isIP(withoutRange(given)) !== 0 ? [] : [`"${given}" is not an IP address.`],
  run: withState(async (state, { operands, output }) => {
    const address = canonicalAddress(withoutRange(operands[0] ?? ''))
    const cleared = await state.clearBlocks(address, commandLine())
    const text = cleared > 0 ? `${address} may try again.` : `${address} was not blocked and had no failures.`
    output.result({ address, cleared }, text)
  }),
}

const withoutRange = (address: string) => address.replace(/\/64$/, '')
