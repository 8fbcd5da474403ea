// `vitrine audit list`: what administrators did and who was blocked, the latest first.
import { readInteger } from '../catalogue/filters/integer.ts'
import type { AuditEntry } from '../state/state.ts'
import { table } from './output.ts'
import { withState, type Runnable } from './runnable.ts'

const usual = 50
const most = 10_000

const readLast = (text = String(usual)) => {
  const read = readInteger(text)
  return 'value' in read && read.value >= 1 && read.value <= most ? read.value : undefined
}

export const auditList: Runnable = {
  name: 'audit list',
  summary: 'Lists what administrators did and who was blocked, the latest first.',
  operands: [],
  options: [
    { name: 'last', value: 'N', help: `So many entries, 1 to ${most}; ${usual} if it is not given.` },
    { name: 'about', value: 'SUBJECT', help: 'Only what was done to this access key or address.' },
  ],
  check: ({ last }) =>
    readLast(last) === undefined ? [`--last ${JSON.stringify(last)} is not a whole number from 1 to ${most}.`] : [],
  run: (context) =>
    withState(context, async (state) => {
      const { output, options } = context
      const about = options['about']
      const entries = await state.listAudit({
        limit: readLast(options['last']) ?? usual,
        ...(about === undefined ? {} : { subject: about }),
      })
      if (output.isJson) return entries.forEach((entry) => output.result(asJson(entry), ''))
      if (entries.length === 0) return output.remark('Nothing was done yet.')
      const rows = entries.map((entry) => [momentOf(entry), entry.act, entry.subject, entry.by, detailsText(entry)])
      output.result(null, table([['WHEN', 'WHAT', 'KEY OR ADDRESS', 'BY', 'DETAILS'], ...rows]))
    }),
}

const momentOf = ({ at }: AuditEntry) => new Date(at).toISOString()

const asJson = ({ id, by, act, subject, details, ...entry }: AuditEntry) => ({
  id,
  at: momentOf({ id, by, act, subject, details, ...entry }),
  by,
  act,
  subject,
  details,
})

// For people: what changed, in few words.
function detailsText({ act, details }: AuditEntry): string {
  const words = Object.entries(details).map(([name, value]) => {
    const change = value as { from: unknown; to: unknown } | null
    return act === 'key changed' ? `${name} ${shown(change?.from)} → ${shown(change?.to)}` : `${name} ${shown(value)}`
  })
  return words.join('; ')
}

const shown = (value: unknown): string =>
  value === null || value === undefined
    ? 'none'
    : Array.isArray(value)
      ? value.length === 0
        ? '(empty)'
        : value.join(',')
      : typeof value === 'string'
        ? value
        : JSON.stringify(value)
