// `vitrine blocks list`: callers blocked at /auth/token now.
import { table } from './output.ts'
import { withState, type Runnable } from './runnable.ts'

export const blocksList: Runnable = {
  name: 'blocks list',
  summary: 'Lists the callers that are blocked at /auth/token now.',
  operands: [],
  options: [],
  run: (context) =>
    withState(context, async (state) => {
      const { output } = context
      const blocks = (await state.listBlocks()).map(({ until, accessKey, ...block }) => ({
        ...block,
        client_id: accessKey,
        until: new Date(until).toISOString(),
      }))
      if (output.isJson) return blocks.forEach((block) => output.result(block, ''))
      if (blocks.length === 0) return output.remark('Nobody is blocked.')
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
