// One key: what it may do, what it does not use, and all actions on it.
import type { ComponentChildren } from 'preact'
import { get, mayChange } from './ask.ts'
import { EntriesTable } from './audit.tsx'
import type { Block, Data, Entries, ListedKey, ShownKey } from '../answers.ts'
import { Finish, KeyActions, RemoveUnused } from './key-actions.tsx'
import {
  addressesLong,
  dayBegan,
  keyAddress,
  lastDay,
  lastUse,
  opens,
  pricesLong,
  readChoices,
  readsLong,
  storesLong,
  type KnownChoices,
} from './key-words.ts'
import { listAddress } from './keys-list.tsx'
import { counted, fill, moment, number, t } from './language.ts'
import { Badge, CopyButton, Fact, LinkButton, permissionName, Tags, yesOrNo } from './parts.tsx'
import type { Draw } from './router.tsx'
import { readPeriod, readUsage } from './usage-data.ts'
import { SignInsNote, UsageFigures } from './usage.tsx'

export async function keyPageView(id: string): Promise<Draw> {
  const path = encodeURIComponent(id)
  const period = readPeriod(new URLSearchParams({ span: 'month' }))
  const [answer, choices, { data: entries }, { data: blocked }, usage] = await Promise.all([
    get<ShownKey>(`/api/keys/${path}?since=${dayBegan()}`),
    readChoices(),
    get<Entries>(`/api/audit?subject=${path}`),
    get<Data<Block>>('/api/blocks'),
    readUsage(period, id),
  ])
  const { data: key, unused } = answer
  const own = keyAddress(id)
  const blocks = blocked.filter(({ scope, client_id: of }) => scope === 'address' || of === id)
  const body = (isLive: boolean) => (
    <>
      <p class="actions">
        <LinkButton class="primary" href={`${own}/preview`} text={t.key.preview} />
        {isLive && <LinkButton href={`${own}/edit`} text={t.key.edit} />}
        {mayChange() && <LinkButton href={`#keys/new?from=${path}`} text={t.key.duplicate} />}
        {isLive && <KeyActions of={key} />}
      </p>
      {key.state !== 'revoked' && blocks.length > 0 && <Blocked blocks={blocks} />}
      {key.state !== 'revoked' && <LifeNotices of={key} />}
      {isLive && unused.length > 0 && <Unused {...answer} />}
      <h2>{t.key.may}</h2>
      <Facts of={key} choices={choices} />
      <h2>{t.nav.usage}</h2>
      <dl class="facts">
        <Fact name={t.fields.last}>
          {lastUse(key)}
          {key.last_address !== null && `, ${fill(t.keys.from, { address: key.last_address })}`}
        </Fact>
        <Fact name={t.fields.today}>{number(key.requests_today)}</Fact>
      </dl>
      {usage.hours.length > 0 ? (
        <UsageFigures answer={usage} period={period} level="h3" />
      ) : (
        <>
          <p>{t.usage.none}</p>
          <SignInsNote />
        </>
      )}
      <p>
        <a href={`#usage/${path}?span=month`}>{t.key.allUse}</a>
      </p>
      <h2>{t.nav.audit}</h2>
      <EntriesTable entries={entries.slice(0, 5)} known={{ choices, keys: new Map() }} isOfOne />
      <p>
        <a href={`#audit?subject=${path}`}>{t.key.allHistory}</a>
      </p>
    </>
  )
  return () => ({
    title: key.name,
    back: [listAddress.value, t.nav.keys],
    beside: <Badge state={key.state} />,
    body: body(key.state !== 'revoked' && mayChange()),
  })
}

const Facts = ({ of: key, choices }: { of: ListedKey; choices: KnownChoices }) => (
  <dl class="facts">
    <Fact name={t.fields.permissions}>{readsLong(opens(key))}</Fact>
    <Fact name={permissionName('costs:read')}>{yesOrNo(key.permissions.includes('costs:read'))}</Fact>
    <Fact name={permissionName('customers:financial')}>{yesOrNo(key.permissions.includes('customers:financial'))}</Fact>
    <Fact name={t.fields.stores}>{storesLong(key, choices)}</Fact>
    <Fact name={t.fields.prices}>{pricesLong(key, choices)}</Fact>
    <Fact name={t.fields.rate}>{number(key.rate)}</Fact>
    <Fact name={t.fields.client_id}>
      <span class="copy-fact">
        <code>{key.client_id}</code>
        <CopyButton label={t.fields.client_id} text={key.client_id} />
      </span>
    </Fact>
    <Fact name={t.fields.addresses}>{addressesLong(key.addresses)}</Fact>
    <Fact name={t.fields.expires}>{lastDay(key.expires)}</Fact>
    <Fact name={t.fields.created}>{moment(key.created_at)}</Fact>
    {key.revoked_at !== null && <Fact name={t.keys.stateOf.revoked}>{moment(key.revoked_at)}</Fact>}
  </dl>
)

const Notice = (props: { name: string; title: string; note: string; children: ComponentChildren }) => (
  <section class="notice" aria-labelledby={`${props.name}-title`}>
    <h2 id={`${props.name}-title`}>{props.title}</h2>
    <p>{props.note}</p>
    {props.children}
  </section>
)

// Shown if the key ends soon, has ended, or has two codes.
function LifeNotices({ of: key }: { of: ListedKey }) {
  const isOver = key.state === 'expired'
  const day = lastDay(key.expires)
  return (
    <>
      {(isOver || key.days_left !== null) && (
        <Notice
          name="end"
          title={isOver ? fill(t.key.ended, { when: day }) : fill(t.key.endsSoon, { when: day })}
          note={isOver ? t.key.endedNote : t.key.endsSoonNote}
        >
          {mayChange() && <LinkButton href={`${keyAddress(key.client_id)}/edit`} text={t.key.edit} />}
        </Notice>
      )}
      {key.old_code_until !== null && (
        <Notice
          name="codes"
          title={t.key.twoCodes}
          note={fill(t.key.twoCodesNote, { when: moment(key.old_code_until) })}
        >
          {mayChange() && <Finish of={key} />}
        </Notice>
      )}
    </>
  )
}

// All of them are listed under Blocked callers.
const mostBlocks = 5

const Blocked = ({ blocks }: { blocks: readonly Block[] }) => (
  <Notice name="blocked" title={counted(t.key.blocked, blocks.length)} note={t.key.blockedNote}>
    <ul>
      {blocks.slice(0, mostBlocks).map(({ address, scope, failures, until }) => (
        <li>
          <code>{address}</code>
          {scope === 'address' && ` (${t.blocks.ofAll})`}{' '}
          {counted(fill(t.key.blockedAfter, { until: moment(until) }), failures)}
        </li>
      ))}
      {blocks.length > mostBlocks && <li>…</li>}
    </ul>
    <a href="#blocks">{t.nav.blocks}</a>
  </Notice>
)

function Unused({ data, unused, days }: ShownKey) {
  const isAll = unused.length === data.permissions.length
  return (
    <Notice
      name="unused"
      title={fill(t.key.unused, { days: number(days) })}
      note={isAll ? fill(t.key.unusedAll, { days: number(days) }) : t.key.unusedNote}
    >
      <Tags names={unused.map(permissionName)} />
      {!isAll && <RemoveUnused of={data} unused={unused} />}
    </Notice>
  )
}
