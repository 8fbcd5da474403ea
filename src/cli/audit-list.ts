// `vitrine audit list`: changes by administrators and blocked callers, newest first.
import { permissions } from '../catalogue/permissions.ts'
import { nearest } from '../terminal/nearest.ts'
import { acts, type Act, type AuditEntry } from '../state/state.ts'
import { countOption } from './options.ts'
import { showList } from './output.ts'
import { withState, type Runnable } from './command.ts'

const last = countOption({ name: 'last', defaultValue: 50, maximum: 10_000, counts: 'How many entries' })

export const auditList: Runnable = {
  name: 'audit list',
  summary: 'Lists changes by administrators and blocked callers, newest first.',
  options: [
    last.option,
    { name: 'about', value: 'SUBJECT', help: 'Only entries about this access key, address or account.' },
    { name: 'by', value: 'WHO', help: 'Only entries by this author, as the list shows it.' },
    { name: 'from', value: 'TIME', help: 'Only entries from this time on: 2026-10-01, or 2026-10-01T08:00:00Z.' },
    { name: 'to', value: 'TIME', help: 'Only entries before this time.' },
    { name: 'act', value: 'ACT', help: `Only entries of this kind: ${acts.join(', ')}.` },
  ],
  check: (options) => [
    ...last.check(options),
    ...actFaults(options['act']),
    ...(['from', 'to'] as const).flatMap((name) => timeFaults(name, options[name])),
  ],
  run: withState(async (state, { output, options }) => {
    const { about, by, act, from, to } = options
    const entries = await state.listAudit({
      limit: last.valueOf(options),
      ...(about === undefined ? {} : { subjects: [about] }),
      ...(by === undefined ? {} : { by }),
      ...(isAct(act) ? { act } : {}),
      ...(from === undefined ? {} : { from: Date.parse(from) }),
      ...(to === undefined ? {} : { to: Date.parse(to) }),
    })
    const records = entries.map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() }))
    showList(output, records, {
      none: 'There are no entries.',
      headings: ['WHEN', 'WHAT', 'ABOUT', 'BY', 'DETAILS'],
      row: (entry) => [entry.at, entry.act, entry.subject, entry.by, detailsText(entry)],
    })
  }),
}

const isAct = (text: string | undefined): text is Act => (acts as readonly (string | undefined)[]).includes(text)

function actFaults(text: string | undefined): string[] {
  if (text === undefined || isAct(text)) return []
  const meant = nearest(text, acts)
  return [
    `--act ${JSON.stringify(text)} is not an act. ${meant ? `Did you mean "${meant}"?` : `Acts: ${acts.join(', ')}.`}`,
  ]
}

function timeFaults(name: string, text: string | undefined): string[] {
  if (text === undefined || (/^\d{4}-\d\d-\d\d(T|$)/.test(text) && !Number.isNaN(Date.parse(text)))) return []
  return [`--${name} ${JSON.stringify(text)} is not a time such as 2026-10-01 or 2026-10-01T08:00:00Z.`]
}

function detailsText({ act, details }: Pick<AuditEntry, 'act' | 'details'>): string {
  if (act === 'more callers blocked') {
    const orMore = details['more_addresses'] ? ' or more' : ''
    return `further blocks in the same hour: ${String(details['blocks'])} (addresses: ${String(details['addresses'])}${orMore})`
  }
  const words = Object.entries(details).map(([name, value]) => {
    if (act !== 'key changed' && act !== 'account changed') return `${name} ${valueText(name, value)}`
    const { from, to } = value as { from: unknown; to: unknown }
    return `${name} ${valueText(name, from)} → ${valueText(name, to)}`
  })
  return words.join('; ')
}

const isUnrestricted = (name: string, value: unknown) =>
  value === null || (name === 'permissions' && Array.isArray(value) && value.length === permissions.length)

function valueText(name: string, value: unknown): string {
  if (isUnrestricted(name, value)) return name === 'client_id' ? 'unknown' : name === 'expires' ? 'never' : 'all'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
