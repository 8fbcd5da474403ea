// Entries of the history as people read them: what was done, by whom, to what, and what changed.
import type { Entry } from './data.ts'
import { dayOf } from './key-words.ts'
import { listed, moment, number, t } from './language.ts'
import { asText, permissionName, Table } from './parts.tsx'
import { nameOf } from './session.ts'

export const actName = (act: string): string => (t.acts as Readonly<Record<string, string>>)[act] ?? act

export const byName = (by: string): string => {
  if (by === 'the service') return t.audit.service
  if (by === 'the link of the first start') return t.audit.firstLink
  const user = /^(.*), command line$/s.exec(by)?.[1]
  return user === undefined ? nameOf(by) : t.audit.commandLine(user)
}

function Subject({ act, subject, name }: Entry) {
  if (act === 'more callers blocked') return <>{t.audit.severalAddresses}</>
  if (subject === '') return <>{act.startsWith('subscription') ? t.audit.company : t.audit.console}</>
  if (name === null) return <code>{subject}</code>
  return <a href={`#keys/${encodeURIComponent(subject)}`}>{name}</a>
}

const names = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

function valueText(field: string, value: unknown): string {
  if (field === 'permissions') return listed(names(value).map(permissionName)) || t.page.none
  if (field === 'stores') return value === null ? t.keys.allStores : names(value).join(', ') || t.keys.noStore
  if (field === 'price_list' && value === null) return t.page.all
  if (field === 'scope') return (t.audit.scopes as Readonly<Record<string, string>>)[asText(value)] ?? asText(value)
  if (field === 'expires') return value === null ? t.key.noLastDay : dayOf(asText(value))
  if (field === 'addresses') return value === null ? t.key.anywhere : names(value).join(', ')
  if (field === 'until') return moment(asText(value))
  if (field === 'client_id')
    return value === 'console' ? t.audit.console : value === null ? t.blocks.ofUnknown : asText(value)
  if (typeof value === 'boolean') return value ? t.page.yes : t.page.no
  return typeof value === 'number' ? number(value) : asText(value)
}

function changeText(field: string, from: unknown, to: unknown): string {
  if (field !== 'permissions') return `${valueText(field, from)} → ${valueText(field, to)}`
  const [before, after] = [names(from), names(to)]
  const [added, removed] = [
    after.filter((each) => !before.includes(each)),
    before.filter((each) => !after.includes(each)),
  ]
  return [
    ...(added.length > 0 ? [t.audit.added(listed(added.map(permissionName)))] : []),
    ...(removed.length > 0 ? [t.audit.removed(listed(removed.map(permissionName)))] : []),
  ].join('; ')
}

const fieldName = (field: string): string => (t.audit.fields as Readonly<Record<string, string>>)[field] ?? field

function moreBlockedText({ blocks, addresses, more_addresses: isMore }: Entry['details']): string {
  return t.audit.moreBlocked(number(Number(blocks)), number(Number(addresses)) + (isMore ? '+' : ''))
}

function Details({ act, details }: Entry) {
  if (act === 'more callers blocked') return <>{moreBlockedText(details)}</>
  // A new key is never paused.
  const shown = Object.entries(details).filter(([field]) => act !== 'key created' || field !== 'disabled')
  if (shown.length === 0) return <span class="nothing">–</span>
  return (
    <ul class="plain">
      {shown.map(([field, value]) => {
        const change = act.endsWith(' changed') ? (value as { from: unknown; to: unknown }) : undefined
        return (
          <li>
            <span class="field">{fieldName(field)}</span>{' '}
            {change ? changeText(field, change.from, change.to) : valueText(field, value)}
          </li>
        )
      })}
    </ul>
  )
}

// `isOfOne`: all have the same subject.
export const EntriesTable = ({ entries, isOfOne = false }: { entries: readonly Entry[]; isOfOne?: boolean }) => (
  <Table
    class="cards history"
    rows={entries}
    keyOf={({ id }) => id}
    hasNoRowHead
    columns={[
      { name: t.audit.when, cell: ({ at }) => moment(at) },
      { name: t.audit.what, cell: ({ act }) => actName(act) },
      ...(isOfOne ? [] : [{ name: t.audit.subject, cell: Subject }]),
      { name: t.audit.who, cell: ({ by }) => byName(by) },
      { name: t.audit.details, cell: Details, class: 'details' },
    ]}
  />
)
