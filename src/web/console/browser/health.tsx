// The health of the service, refreshed while the view is open: what works, what does not and what to do; figures for engineers.
import { useEffect, useState } from 'preact/hooks'
import { get } from './ask.ts'
import { day, number, seconds, t } from './language.ts'
import { BusyButton, Faults, resourceName, Table, useEvery, useWork } from './parts.tsx'
import { show, type MakeView } from './router.tsx'

interface Health {
  readonly engine_up: boolean
  readonly state_up: boolean
  readonly readers: number
  readonly readers_busy: number
  readonly waiting: number
  readonly statements_stopped: number
  readonly lag_seconds: number | null
  readonly blocks: number | null
  readonly copy: HealthOfCopy | null
  readonly certificate_ends_at: string
  // Of the oldest change that programs can be told of. null: all are there. Absent: no program has asked yet.
  readonly changes_from?: string | null
  readonly plain_lists: readonly { readonly name: string; readonly why: keyof typeof t.health.why }[] | null
}

interface HealthOfCopy {
  // null: it is not complete yet.
  readonly age_seconds: number | null
  readonly problem: string | null
  readonly failing_since: string | null
}

const lookEveryMs = 5000
const dayMs = 86_400_000
const soonDays = 21

export const healthView: MakeView = async ({ isUnasked }) => {
  const health = await get<Health>(isUnasked ? '/api/health?unasked' : '/api/health')
  return { title: () => t.health.title, body: <HealthPage health={health} at={new Date()} /> }
}

// `note`: what it means, or what to do.
interface Part {
  readonly name: string
  readonly value: string
  readonly note?: string
  readonly kind: 'good' | 'bad' | 'plain'
  readonly href?: string
}

function HealthPage({ health, at }: { health: Health; at: Date }) {
  useEvery(lookEveryMs, () => void show('unasked'))
  const [isOpen, setOpen] = useState(false)
  const parts = partsOf(health)
  const bad = parts.filter(({ kind }) => kind === 'bad')
  return (
    <>
      <h1>{t.health.title}</h1>
      <p class="lead">{t.health.lead}</p>
      <section class={`verdict ${bad.length === 0 ? 'good' : 'bad'}`} role="status">
        <h2>{bad.length === 0 ? t.health.allWell : t.health.attention(bad.length, number(bad.length))}</h2>
        {bad.length > 0 && (
          <ul>
            {bad.map(({ name, value, note }) => (
              <li>
                <strong>
                  {name}: {value}
                </strong>{' '}
                {note}
              </li>
            ))}
          </ul>
        )}
      </section>
      <dl class="cards-grid">
        {parts.map((part) => (
          <Card {...part} />
        ))}
      </dl>
      <p class="note" id="looked">
        {t.health.looked(seconds(at))}
      </p>
      <details class="figures" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{t.health.details}</summary>
        <dl class="cards-grid">
          {figuresOf(health).map((part) => (
            <Card {...part} />
          ))}
        </dl>
        <h2>{t.health.lists}</h2>
        <div id="lists">
          <Lists plain={health.plain_lists} />
        </div>
        <h2>{t.health.volume}</h2>
        {isOpen && <Volume />}
      </details>
    </>
  )
}

// A tile that leads somewhere is a link as a whole.
const Card = ({ name, value, note, kind, href }: Part) => (
  <div class={`card ${kind}`}>
    <dt>{name}</dt>
    <dd>
      <strong>{href ? <a href={href}>{value}</a> : value}</strong>
      {note && <span>{note}</span>}
    </dd>
  </div>
)

const upOrAway = (name: string, isUp: boolean, note: string, otherwise: string): Part =>
  isUp
    ? { name, value: t.health.works, note, kind: 'good' }
    : { name, value: t.health.away, note: otherwise, kind: 'bad' }

function partsOf(health: Health): Part[] {
  const { engine_up: hasData, state_up: hasState, lag_seconds: lag, blocks, copy, plain_lists: plain } = health
  const isFast = plain?.length === 0
  return [
    upOrAway(t.health.engine, hasData, t.health.engineWorks, t.health.engineAway),
    upOrAway(t.health.state, hasState, t.health.stateWorks, t.health.stateAway),
    certificatePart(health),
    ...(copy === null ? [] : [copyPart(copy)]),
    ...(lag === null
      ? []
      : [{ name: t.health.lag, value: t.health.seconds(number(lag)), note: t.health.lagSome, kind: 'plain' } as const]),
    {
      name: t.health.lists,
      value: isFast ? t.health.fast : t.health.slower,
      note: isFast ? t.health.listsAll : t.health.slowerNote,
      kind: isFast ? 'good' : 'plain',
    },
    changesPart(health),
    ...(blocks === null
      ? []
      : [
          {
            name: t.health.blocked,
            value: number(blocks),
            note: t.health.blockedNote,
            kind: 'plain',
            href: '#blocks',
          } as const,
        ]),
  ]
}

const figure = (name: string, value: string, note?: string): Part => ({
  name,
  value,
  kind: 'plain',
  ...(note ? { note } : {}),
})

function figuresOf({
  readers,
  readers_busy: busy,
  waiting,
  statements_stopped: stopped,
  lag_seconds: lag,
}: Health): Part[] {
  return [
    figure(t.health.readers, t.health.readersOf(number(busy), number(readers))),
    figure(t.health.waiting, number(waiting), waiting === 0 ? t.health.waitingNone : t.health.waitingSome),
    figure(t.health.stopped, number(stopped), stopped === 0 ? t.health.stoppedNone : t.health.stoppedSome),
    ...(lag === null ? [figure(t.health.lag, '–', t.health.lagNone)] : []),
  ]
}

function changesPart({ changes_from: from }: Health): Part {
  if (from === undefined) return figure(t.health.changes, '–', t.health.changesNone)
  if (from === null) return figure(t.health.changes, t.health.changesAll, t.health.changesAllNote)
  return figure(t.health.changes, t.health.changesFrom(day(new Date(from))), t.health.changesFromNote)
}

function copyPart({ age_seconds: age, problem, failing_since: since }: HealthOfCopy): Part {
  const name = t.health.copy
  const value = age === null ? t.health.copyNone : t.health.copyAge(number(age))
  if (problem === null || since === null) return { name, value, kind: age === null ? 'plain' : 'good' }
  return { name, value, note: t.health.copyFails(seconds(new Date(since)), problem), kind: 'bad' }
}

function certificatePart({ certificate_ends_at: endsAt }: Health): Part {
  const end = new Date(endsAt)
  const days = Math.floor((end.getTime() - Date.now()) / dayMs)
  const note =
    days < 0 ? t.health.certificateOver : days < soonDays ? t.health.certificateSoon : t.health.certificateEnds
  return {
    name: t.health.certificate,
    value: t.health.certificateDays(Math.max(0, days), number(Math.max(0, days))),
    note: note(day(end)),
    kind: days < soonDays ? 'bad' : 'good',
  }
}

function Lists({ plain }: { plain: Health['plain_lists'] }) {
  if (plain === null) return <p>{t.health.listsNever}</p>
  if (plain.length === 0) return <p>{t.health.listsAll}</p>
  return (
    <>
      <p>{t.health.listsPlain}</p>
      <dl class="reasons">
        {[...Map.groupBy(plain, ({ why }) => why)].map(([why, lists]) => (
          <>
            <dt>{lists.map(({ name }) => resourceName(name)).join(', ')}</dt>
            <dd>{t.health.why[why]}</dd>
          </>
        ))}
      </dl>
    </>
  )
}

type Counted = readonly { readonly name: string; readonly total: number | null }[]

function Volume() {
  const [counted, setCounted] = useState<Counted>([])
  const { isBusy, error, run } = useWork(async () => {
    const { data } = await get<{ data: Counted }>('/api/volume')
    setCounted(data)
  })
  useEffect(() => void run(), [])
  return (
    <>
      <Faults error={error} />
      {counted.length > 0 && (
        <Table
          class="volume"
          rows={counted}
          keyOf={({ name }) => name}
          columns={[
            { name: t.health.resource, cell: ({ name }) => resourceName(name) },
            {
              name: t.health.records,
              cell: ({ total }) => (total === null ? t.health.unknown : number(total)),
              isNumber: true,
            },
          ]}
        />
      )}
      <p>
        <BusyButton id="count" isBusy={isBusy} onClick={() => void run()}>
          {t.health.count}
        </BusyButton>
      </p>
    </>
  )
}
