// One key: what it may do, what it does not use, and all actions on it.
import type { ComponentChildren } from 'preact'
import { ask, get } from './ask.ts'
import { EntriesTable } from './audit-text.tsx'
import type { Block, Choices, Entry, Key, ListedKey } from './data.ts'
import { confirm } from './dialog.tsx'
import { keepCode } from './key-code.tsx'
import { finish, LifeNotices, Notice, rotate } from './key-life.tsx'
import {
  addressesLong,
  dayBegan,
  lastDay,
  lastUse,
  lastUseFrom,
  opens,
  pricesLong,
  readChoices,
  readsLong,
  storesLong,
} from './key-words.ts'
import { listAddress } from './keys-list.tsx'
import { moment, number, t } from './language.ts'
import { Action, Badge, CopyButton, Fact, permissionName, Tags } from './parts.tsx'
import { go, reload, type View } from './router.tsx'
import { mayChange } from './session.ts'
import { readPeriod, readUsage } from './usage-data.ts'
import { UsageChart, UsageTables } from './usage.tsx'

interface Answer {
  readonly data: ListedKey
  readonly unused: readonly string[]
  readonly days: number
}

interface KeyPageProps {
  readonly answer: Answer
  readonly choices: Choices
  readonly entries: readonly Entry[]
  // Of this key and of every key.
  readonly blocks: readonly Block[]
  // false: it was not used in the last thirty days.
  readonly charts: ComponentChildren
}

export async function keyPageView(id: string): Promise<View> {
  const path = encodeURIComponent(id)
  const period = readPeriod(new URLSearchParams({ span: 'month' }))
  const [answer, choices, { data: entries }, { data: blocked }, usage] = await Promise.all([
    get<Answer>(`/api/keys/${path}?since=${dayBegan()}`),
    readChoices(),
    get<{ data: Entry[] }>(`/api/audit?subject=${path}`),
    get<{ data: Block[] }>('/api/blocks'),
    readUsage(period, id),
  ])
  const charts = usage.hours.length > 0 && (
    <>
      <UsageChart answer={usage} period={period} />
      <UsageTables answer={usage} level="h3" />
    </>
  )
  const blocks = blocked.filter(({ scope, client_id: of }) => scope === 'address' || of === id)
  const body = <KeyPage answer={answer} choices={choices} entries={entries} blocks={blocks} charts={charts} />
  return { title: () => answer.data.name, body }
}

function KeyPage({ answer, choices, entries, blocks, charts }: KeyPageProps) {
  const { data: key, unused } = answer
  const path = encodeURIComponent(key.client_id)
  const act = actsOn(key, unused)
  const isLive = key.state !== 'revoked' && mayChange()
  return (
    <>
      <p class="back">
        <a href={listAddress.value}>← {t.keys.title}</a>
      </p>
      <div class="head">
        <h1>{key.name}</h1>
        <Badge state={key.state} />
      </div>
      <p class="actions">
        <a class="button primary" href={`#keys/${path}/look`}>
          {t.key.look}
        </a>
        {isLive && (
          <>
            <a class="button" href={`#keys/${path}/edit`}>
              {t.key.edit}
            </a>
            <a class="button" href={`#keys/new?from=${path}`}>
              {t.key.duplicate}
            </a>
            {key.old_code_until === null && (
              <Action id="rotate" isAsking work={act.rotate}>
                {t.key.rotate}
              </Action>
            )}
            <Action id="renew" isAsking work={act.renew}>
              {t.key.renew}
            </Action>
            {/* One button, so that it keeps the focus. */}
            {key.state !== 'expired' && (
              <Action
                id={key.state === 'active' ? 'pause' : 'resume'}
                isAsking={key.state === 'active'}
                work={key.state === 'active' ? act.pause : act.resume}
              >
                {key.state === 'active' ? t.key.pause : t.key.resume}
              </Action>
            )}
            <Action id="revoke" class="grave-quiet" isAsking work={act.revoke}>
              {t.key.revoke}
            </Action>
          </>
        )}
      </p>
      {key.state !== 'revoked' && blocks.length > 0 && <Blocked blocks={blocks} />}
      {isLive && <LifeNotices data={key} onFinish={() => void act.finish()} />}
      {isLive && unused.length > 0 && <Unused {...answer} onRemove={act.remove} />}
      <h2>{t.key.may}</h2>
      <Facts data={key} choices={choices} />
      <h2>{t.key.use}</h2>
      <dl class="facts">
        <Fact name={t.key.lastUse}>{lastUseFrom(key)}</Fact>
        <Fact name={t.key.today}>{number(key.requests_today)}</Fact>
      </dl>
      {charts || <p>{t.usage.none}</p>}
      <p>
        <a href={`#usage/${path}?span=month`}>{t.key.allUse}</a>
      </p>
      <h2>{t.key.history}</h2>
      <EntriesTable entries={entries.slice(0, 5)} known={{ choices, keys: new Map() }} isOfOne />
      <p>
        <a href={`#audit?subject=${path}`}>{t.key.allHistory}</a>
      </p>
    </>
  )
}

const yesOrNo = (isSo: boolean) => (isSo ? t.page.yes : t.page.no)

const Facts = ({ data: key, choices }: { data: Key; choices: Choices }) => (
  <dl class="facts">
    <Fact name={t.key.reads}>{readsLong(opens(key))}</Fact>
    <Fact name={t.key.costs}>{yesOrNo(key.permissions.includes('costs:read'))}</Fact>
    <Fact name={t.key.balances}>{yesOrNo(key.permissions.includes('customers:financial'))}</Fact>
    <Fact name={t.key.stores}>{storesLong(key, choices)}</Fact>
    <Fact name={t.key.prices}>{pricesLong(key, choices)}</Fact>
    <Fact name={t.key.rate}>{number(key.rate)}</Fact>
    <Fact name={t.key.accessKey}>
      <span class="copy-fact">
        <code>{key.client_id}</code>
        <CopyButton label={t.key.accessKey} text={key.client_id} />
      </span>
    </Fact>
    <Fact name={t.key.addresses}>{addressesLong(key)}</Fact>
    <Fact name={t.key.lastDay}>{lastDay(key)}</Fact>
    <Fact name={t.key.created}>{moment(key.created_at)}</Fact>
    {key.revoked_at !== null && <Fact name={t.key.revoked}>{moment(key.revoked_at)}</Fact>}
  </dl>
)

// The rest is under Blocked callers.
const mostBlocks = 5

const Blocked = ({ blocks }: { blocks: readonly Block[] }) => (
  <Notice name="blocked" title={t.key.blocked(blocks.length, number(blocks.length))} note={t.key.blockedNote}>
    <ul>
      {blocks.slice(0, mostBlocks).map(({ address, scope, failures, until }) => (
        <li>
          <code>{address}</code>
          {scope === 'address' && ` (${t.blocks.ofAll})`}{' '}
          {t.key.blockedAfter(failures, number(failures), moment(until))}
        </li>
      ))}
      {blocks.length > mostBlocks && <li>…</li>}
    </ul>
    <p>
      <a href="#blocks">{t.blocks.title}</a>
    </p>
  </Notice>
)

function Unused({ data, unused, days, onRemove }: Answer & { onRemove: () => Promise<void> }) {
  const isAll = unused.length === data.permissions.length
  const note = isAll ? t.key.unusedAll(number(days)) : t.key.unusedNote
  return (
    <Notice name="unused" title={t.key.unused(number(days))} note={note}>
      <Tags names={unused.map(permissionName)} />
      {!isAll && (
        <p>
          <Action id="remove-unused" isAsking work={onRemove}>
            {t.key.remove}
          </Action>
        </p>
      )}
    </Notice>
  )
}

function actsOn(key: ListedKey, unused: readonly string[]) {
  const path = `/api/keys/${encodeURIComponent(key.client_id)}`
  const showCode = () => go(`keys/${key.client_id}/code`)
  return {
    revoke: async () => {
      const isDone = await confirm({
        title: t.key.revokeTitle(key.name),
        means: [
          t.key.revokeStops,
          t.key.revokeTokens,
          key.last_used === null ? t.key.revokeUnused : t.key.revokeUsed(lastUse(key), number(key.requests_today)),
          t.key.revokeFinal,
        ],
        action: t.key.revoke,
        isGrave: true,
        work: () => ask('DELETE', path),
      })
      if (isDone) await reload(t.key.isRevoked)
    },
    renew: async () => {
      const isDone = await confirm({
        title: t.key.renewTitle(key.name),
        means: [t.key.renewStops, t.key.renewThen, t.key.renewGap],
        action: t.key.renew,
        isGrave: true,
        work: async () => {
          const made = await ask<{ data: Key; client_secret: string }>('POST', `${path}/code`)
          keepCode(made.data, made.client_secret, 'renewed')
        },
      })
      if (isDone) showCode()
    },
    rotate: async () => {
      if (await rotate(key, path)) showCode()
    },
    finish: async () => {
      if (await finish(key, path)) await reload(t.key.finished)
    },
    pause: async () => {
      const isDone = await confirm({
        title: t.key.pauseTitle(key.name),
        means: [t.key.pauseStops],
        action: t.key.pause,
        work: () => ask('PATCH', path, { disabled: true }),
      })
      if (isDone) await reload(t.key.paused)
    },
    resume: async () => {
      await ask('PATCH', path, { disabled: false })
      await reload(t.key.resumed)
    },
    remove: async () => {
      const permissions = key.permissions.filter((name) => !unused.includes(name))
      const isDone = await confirm({
        title: t.key.removeTitle(key.name),
        means: [`${t.key.removeStops} ${readsLong(unused)}`],
        action: t.key.remove,
        work: () => ask('PATCH', path, { permissions, shown: { permissions: key.permissions } }),
      })
      if (isDone) await reload(t.key.removed)
    },
  }
}
