// `vitrine keys unused`: permissions that keys have and did not use for a month.
import { listUnused, unusedDays } from '../keys/unused.ts'
import { table } from './output.ts'
import { withState, type Runnable } from './runnable.ts'

export const keysUnused: Runnable = {
  name: 'keys unused',
  summary: `Lists the permissions that keys have had for ${unusedDays} days and never used in that time.`,
  operands: [],
  options: [],
  run: (context) =>
    withState(context, async (state) => {
      const { output, clock } = context
      const unused = await listUnused(state, clock.now())
      const rows = unused.map(({ key, permissions }) => ({ client_id: key.accessKey, name: key.name, permissions }))
      if (output.isJson) return rows.forEach((row) => output.result(row, ''))
      if (rows.length === 0)
        return output.remark(`No key has had a permission for ${unusedDays} days without using it in that time.`)
      const lines = rows.map(({ client_id: id, name, permissions }) => [id, permissions.join(','), name])
      output.result(null, table([['ACCESS KEY', 'UNUSED PERMISSIONS', 'NAME'], ...lines]))
    }),
}
