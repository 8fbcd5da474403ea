// The history: who did what, filtered by action, person, subject and time. The filters are in the address. Entries are shown in
// words, also on the page of a key.
import { useState } from 'preact/hooks'
import { ActionButton } from './action.tsx'
import { download, get } from './ask.ts'
import { sumOf } from './chart.tsx'
import type { Data, Entries as Answer, Entry, Key, Named } from '../answers.ts'
import { DayInputs, Input, useAddressForm } from './form.tsx'
import { addressesLong, keyAddress, lastDay, readChoices, readsLong, type KnownChoices } from './key-words.ts'
import { fill, listed, moment, number, t } from './language.ts'
import { asText, Empty, named, Table, yesOrNo } from './parts.tsx'
import type { MakeView } from './router.tsx'

const filters = ['action', 'by', 'subject', 'from', 'to'] as const

// Days are in the time zone of the browser; the last day is included.
function queryOf(asked: URLSearchParams): URLSearchParams {
  const query = new URLSearchParams()
  for (const name of filters) {
    const text = (asked.get(name) ?? '').trim()
    if (text === '') continue
    const [year = 0, month = 1, day = 1] = text.split('-').map(Number)
    const isDay = name === 'from' || name === 'to'
    query.set(name, isDay ? new Date(year, month - 1, day + (name === 'to' ? 1 : 0)).toISOString() : text)
  }
  return query
}

export const auditView: MakeView = async ({ query }) => {
  const asked = queryOf(query)
  const first = await get<Answer>(`/api/audit?${asked}`)
  const known = await readNames(first.data)
  return () => ({
    title: t.nav.audit,
    lead: t.audit.lead,
    body: (
      <>
        <Filters by={first.by} />
        <Entries key={String(asked)} first={first} asked={asked} known={known} />
      </>
    ),
  })
}

function Filters({ by }: { by: readonly string[] }) {
  const { form, submit, clear } = useAddressForm(filters)
  const actions = Object.keys(t.actions).map((action) => [action, actionName(action)] as const)
  const people = by.map((each) => [each, byName(each)] as const)
  return (
    <form class="filters" role="search" autocomplete="off" onSubmit={submit} onReset={clear}>
      <Input form={form} name="action" label={t.audit.what} options={[['', t.audit.anything], ...actions]} />
      <Input form={form} name="by" label={t.audit.who} options={[['', t.page.all], ...people]} />
      <Input form={form} name="subject" label={t.audit.subject} required={false} spellcheck={false} />
      <DayInputs form={form} required={false} />
      <p class="buttons">
        <button type="submit" class="primary">
          {t.page.show}
        </button>
        <button type="reset">{t.audit.clear}</button>
      </p>
    </form>
  )
}

function Entries({ first, asked, known }: { first: Answer; asked: URLSearchParams; known: Names }) {
  const [later, setLater] = useState<readonly Answer[]>([])
  const answers = [first, ...later]
  const entries = answers.flatMap(({ data }) => data)
  const older = async () => {
    const query = new URLSearchParams([...asked, ['before', String(entries.at(-1)?.id)]])
    const next = await get<Answer>(`/api/audit?${query}`)
    setLater((before) => [...before, next])
  }
  return (
    <div id="entries">
      {entries.length === 0 ? (
        <Empty title={t.audit.none} note={t.audit.noneNote} />
      ) : (
        <>
          <p>
            <ActionButton id="csv" text={t.page.csv} work={() => download(`/api/audit.csv?${asked}`)} />
          </p>
          <EntriesTable entries={entries} known={known} />
        </>
      )}
      {!answers.at(-1)?.is_last && <ActionButton class="older" text={t.audit.older} work={older} />}
    </div>
  )
}

const actionName = (action: string): string => named(t.actions, action)

const byName = (by: string): string => {
  if (by === 'the service') return t.audit.service
  if (by === 'the link of the first start') return t.audit.firstLink
  const user = /^(.*), command line$/s.exec(by)?.[1]
  return user === undefined ? by.replace(/, console$/, '') : fill(t.audit.commandLine, { user })
}

function Subject({ action, subject, name }: Entry) {
  if (action === 'more callers blocked') return <>{t.audit.severalAddresses}</>
  if (subject === '') return <>{action.startsWith('subscription') ? t.audit.company : t.audit.console}</>
  if (name === null) return <code>{subject}</code>
  return (
    <span>
      <a href={keyAddress(subject)}>{name}</a>
      <code class="id">{subject}</code>
    </span>
  )
}

const names = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

// The names behind the ids in entries.
interface Names {
  readonly choices: KnownChoices
  // Keys by their access key.
  readonly keys: ReadonlyMap<string, string>
}

// Keys are read only if an entry names one.
async function readNames(entries: readonly Entry[]): Promise<Names> {
  const isKeyNamed = entries.some(({ details }) => String(details['client_id']).startsWith('svc_'))
  const [choices, keys] = await Promise.all([
    readChoices(),
    isKeyNamed ? get<Data<Key>>('/api/keys').then(({ data }) => data) : [],
  ])
  return { choices, keys: new Map(keys.map(({ client_id: id, name }) => [id, name])) }
}

// `name (id)`.
const called = (id: string, name: string | null | undefined) => (name ? `${name} (${id})` : id)
const calledIn = (all: readonly Named[], id: string) => called(id, all.find((each) => String(each.id) === id)?.name)

function valueText(field: string, value: unknown, { choices, keys }: Names): string {
  if (field === 'permissions') return readsLong(names(value)) || t.page.none
  if (field === 'stores')
    return value === null
      ? t.keys.allStores
      : listed(names(value).map((id) => calledIn(choices.stores, id))) || t.keys.noStore
  if (field === 'price_list') return value === null ? t.page.all : calledIn(choices.price_lists, asText(value))
  if (field === 'role') return named(t.accounts.roles, asText(value))
  if (field === 'scope') return named(t.audit.scopes, asText(value))
  if (field === 'expires') return lastDay(value === null ? null : asText(value))
  if (field === 'addresses') return addressesLong(value === null ? null : names(value))
  if (field === 'until') return moment(asText(value))
  if (field === 'client_id' && value === null) return t.blocks.ofUnknown
  if (field === 'client_id')
    return value === 'console' ? t.audit.console : called(asText(value), keys.get(asText(value)))
  if (typeof value === 'boolean') return yesOrNo(value)
  return typeof value === 'number' ? number(value) : asText(value)
}

function changeText(field: string, from: unknown, to: unknown, known: Names): string {
  if (field !== 'permissions') return `${valueText(field, from, known)} → ${valueText(field, to, known)}`
  const [before, after] = [names(from), names(to)]
  const added = after.filter((each) => !before.includes(each))
  const removed = before.filter((each) => !after.includes(each))
  return [
    ...(added.length > 0 ? [fill(t.audit.added, { what: readsLong(added) })] : []),
    ...(removed.length > 0 ? [fill(t.audit.removed, { what: readsLong(removed) })] : []),
  ].join('; ')
}

const moreBlockedText = ({ blocks, addresses, more_addresses: isMore }: Entry['details']): string =>
  fill(t.audit.moreBlocked, {
    blocks: number(Number(blocks)),
    addresses: number(Number(addresses)) + (isMore ? '+' : ''),
  })

// Longer than this, an entry is shown in one line until it is opened.
const longest = 150

function Details({ entry: { action, details }, known }: { entry: Entry; known: Names }) {
  if (action === 'more callers blocked') return <>{moreBlockedText(details)}</>
  // A new key is never paused.
  const shown = Object.entries(details).filter(([field]) => action !== 'key created' || field !== 'disabled')
  const lines = shown.map(([field, value]) => {
    const change = action.endsWith(' changed') ? (value as { from: unknown; to: unknown }) : undefined
    const text = change ? changeText(field, change.from, change.to, known) : valueText(field, value, known)
    return [named(t.fields, field), text] as const
  })
  if (lines.length === 0) return <span class="nothing">–</span>
  const list = (
    <ul class="plain">
      {lines.map(([name, text]) => (
        <li>
          <span class="field">{name}</span> {text}
        </li>
      ))}
    </ul>
  )
  if (sumOf(lines.map(([name, text]) => name.length + text.length)) <= longest) return list
  return (
    <details class="long">
      <summary>{listed(lines.map(([name]) => name))}</summary>
      {list}
    </details>
  )
}

// `isOfOne`: all entries have the same subject.
export const EntriesTable = (props: { entries: readonly Entry[]; known: Names; isOfOne?: boolean }) => (
  <Table
    rows={props.entries}
    keyOf={({ id }) => id}
    hasNoRowHead
    columns={[
      { name: t.usage.when, cell: ({ at }) => moment(at) },
      { name: t.audit.what, cell: ({ action }) => actionName(action) },
      ...(props.isOfOne ? [] : [{ name: t.audit.subject, cell: Subject }]),
      { name: t.audit.who, cell: ({ by }) => byName(by) },
      { name: t.audit.details, cell: (entry) => <Details entry={entry} known={props.known} />, class: 'details' },
    ]}
  />
)
