// `vitrine usage list`: requests, records and refusals of each key, by the hour, with the causes of refusals.
import { countOption } from './options.ts'
import { showList } from './output.ts'
import { countRefusals, type UsageSum } from '../state/usage.ts'
import { withState, type Runnable } from './command.ts'

const hourMs = 3_600_000
const hours = countOption({ name: 'hours', defaultValue: 24, maximum: 366 * 24, counts: 'How many hours, up to now' })

export const usageList: Runnable = {
  name: 'usage list',
  summary: 'Lists the usage of each key by the hour. The running service updates it every ten seconds.',
  options: [hours.option, { name: 'key', value: 'KEY', help: 'Only this access key.' }],
  check: hours.check,
  run: withState(async (state, { output, options, clock }) => {
    const now = clock.now()
    const from = now - (now % hourMs) - (hours.valueOf(options) - 1) * hourMs
    const chosen = { from, to: now + hourMs, accessKey: options['key'] ?? null }
    const sums = await state.sumUsage(['hour', 'accessKey'], chosen)
    const usage = sums.map(({ hour, accessKey, requests, records, refusals }) => ({
      hour: new Date(hour).toISOString(),
      client_id: accessKey,
      requests,
      records,
      refusals: countRefusals({ refusals }),
      causes: refusals,
    }))
    showList(output, usage, {
      none: 'No key was used in that time.',
      headings: ['HOUR', 'ACCESS KEY', 'REQUESTS', 'RECORDS', 'REFUSALS', 'CAUSES'],
      row: ({ hour, client_id: id, requests, records, refusals, causes }) => [
        hour,
        id,
        ...[requests, records, refusals].map(String),
        causesText(causes),
      ],
    })
  }),
}

const causesText = (causes: UsageSum['refusals']): string =>
  Object.entries(causes)
    .filter(([, count]) => count > 0)
    .map(([cause, count]) => `${cause} ${count}`)
    .join(', ')
