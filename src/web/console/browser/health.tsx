// The health of the service, refreshed while the view is open: what works, what does not and what to do; figures for engineers.
import { useEffect, useState } from 'preact/hooks'
import { faultsIn, get } from './ask.ts'
import type { Data, Health, HealthOfCopy, Volume } from '../answers.ts'
import { counted, day, fill, number, seconds, t } from './language.ts'
import { Button, Faults, named, resourceName, Table, useWork } from './parts.tsx'
import type { MakeView } from './router.tsx'

const dayMs = 86_400_000
const soonDays = 21

export const healthView: MakeView = async ({ isUnasked }) => {
  const health = await get<Health>('/api/health', isUnasked)
  const at = new Date()
  return () => ({
    title: t.nav.health,
    lead: t.health.lead,
    refreshMs: 5000,
    body: <HealthPage health={health} at={at} />,
  })
}

function HealthPage({ health, at }: { health: Health; at: Date }) {
  const [isOpen, setOpen] = useState(false)
  const tiles = tilesOf(health)
  const bad = tiles.filter(({ kind }) => kind === 'bad')
  return (
    <>
      <section class={`verdict ${bad.length === 0 ? 'good' : 'bad'}`} role="status">
        <h2>{bad.length === 0 ? t.health.allWell : counted(t.health.attention, bad.length)}</h2>
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
      <Tiles tiles={tiles} />
      <p class="note" id="updated">
        {fill(t.health.updated, { when: seconds(at) })}
      </p>
      <details class="figures" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{t.health.details}</summary>
        <Tiles tiles={figuresOf(health)} />
        <h2>{t.health.lists}</h2>
        <div id="lists">
          <Lists plain={health.plain_lists} />
        </div>
        <h2>{t.health.volume}</h2>
        <p class="note">{t.preview.counts}</p>
        {isOpen && <Volumes />}
      </details>
    </>
  )
}

const Tiles = ({ tiles }: { tiles: readonly Tile[] }) => (
  <dl class="cards-grid">
    {tiles.map(({ name, value, note, kind, href }) => (
      <div class={`card ${kind}`}>
        <dt>{name}</dt>
        <dd>
          <strong>{href ? <a href={href}>{value}</a> : value}</strong>
          {note && <span>{note}</span>}
        </dd>
      </div>
    ))}
  </dl>
)

// `note`: what it means, or what to do.
const tile = (name: string, value: string, note = '', kind: 'good' | 'bad' | 'plain' = 'plain', href = '') =>
  ({ name, value, note, kind, href }) as const
type Tile = ReturnType<typeof tile>

const upOrAway = (name: string, isUp: boolean, note: string, otherwise: string): Tile =>
  isUp ? tile(name, t.health.works, note, 'good') : tile(name, t.health.away, otherwise, 'bad')

function tilesOf(health: Health): Tile[] {
  const { engine_up: hasData, state_up: hasState, lag_seconds: lag, blocks, copy, plain_lists: plain } = health
  return [
    upOrAway(t.health.engine, hasData, t.health.engineWorks, t.health.engineAway),
    upOrAway(t.health.state, hasState, t.health.stateWorks, t.health.stateAway),
    certificateTile(health),
    ...(copy === null ? [] : [copyTile(copy), ...keptTiles(copy)]),
    ...(lag === null ? [] : [tile(t.health.lag, `${number(lag)} s`, t.health.lagSome)]),
    plain?.length === 0
      ? tile(t.health.lists, t.health.fast, t.health.listsAll, 'good')
      : tile(t.health.lists, t.health.slower, t.health.slowerNote),
    changesTile(health),
    ...(blocks === null ? [] : [tile(t.nav.blocks, number(blocks), t.health.blockedNote, 'plain', '#blocks')]),
  ]
}

const figuresOf = ({ readers, readers_busy: busy, waiting, statements_stopped: stopped, lag_seconds: lag }: Health) => [
  tile(t.health.readers, fill(t.health.readersOf, { busy: number(busy), all: number(readers) })),
  tile(t.health.waiting, number(waiting), waiting === 0 ? t.health.waitingNone : t.health.waitingSome),
  tile(t.health.stopped, number(stopped), stopped === 0 ? t.health.stoppedNone : t.health.stoppedSome),
  ...(lag === null ? [tile(t.health.lag, '–', t.health.lagNone)] : []),
]

function changesTile({ changes_from: from, feed_hold: hold }: Health): Tile {
  if (hold) {
    const value = fill(t.health.changesHeld, { minutes: number(Math.floor(hold.seconds / 60)) })
    return tile(
      t.usage.changes,
      value,
      fill(t.health.changesHeldNote, { holder: hold.holder, remedy: hold.remedy }),
      'bad',
    )
  }
  if (from === undefined) return tile(t.usage.changes, '–', t.health.changesNone)
  if (from === null) return tile(t.usage.changes, t.health.changesAll, t.health.changesAllNote)
  return tile(t.usage.changes, fill(t.health.changesFrom, { when: day(new Date(from)) }), t.health.changesFromNote)
}

function copyTile({ age_seconds: age, problem, failing_since: since }: HealthOfCopy): Tile {
  const value = age === null ? t.health.copyNone : fill(t.health.copyAge, { count: number(age) })
  if (problem === null || since === null) return tile(t.health.copy, value, '', age === null ? 'plain' : 'good')
  return tile(t.health.copy, value, fill(t.health.copyFails, { since: seconds(new Date(since)), problem }), 'bad')
}

// What the copy leaves out, which a person has to settle.
function keptTiles({ kept_out: keptOut, waiting }: HealthOfCopy): Tile[] {
  const rows = keptOut.reduce((sum, each) => sum + each.rows, 0)
  const relations = keptOut.map((each) => `${each.relation} (${number(each.rows)})`).join(', ')
  const note = fill(t.health.copyKeptOutNote, { relations })
  return [
    ...(rows === 0 ? [] : [tile(t.health.copyKeptOut, counted(t.health.copyKeptOutRows, rows), note, 'bad')]),
    ...waiting.map(({ relation, had, has, lost }) => {
      const value = fill(t.health.copyWaitsRows, { had: number(had), has: number(has) })
      return tile(
        fill(t.health.copyWaits, { relation }),
        value,
        fill(t.health.copyWaitsNote, { lost: number(lost) }),
        'bad',
      )
    }),
  ]
}

function certificateTile({ certificate_ends_at: endsAt }: Health): Tile {
  const end = new Date(endsAt)
  const days = Math.floor((end.getTime() - Date.now()) / dayMs)
  const [isOver, isSoon] = [days < 0, days < soonDays]
  const note = isOver ? t.health.certificateOver : isSoon ? t.health.certificateSoon : t.health.certificateEnds
  const left = counted(t.health.certificateDays, Math.max(0, days))
  return tile(t.health.certificate, left, fill(note, { when: day(end) }), isSoon ? 'bad' : 'good')
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
            <dd>{named(t.health.why, why)}</dd>
          </>
        ))}
      </dl>
    </>
  )
}

const totalText = ({ total }: Volume) => (total === null ? t.health.unknown : number(total))

function Volumes() {
  const [counted, setCounted] = useState<readonly Volume[]>([])
  const { isBusy, error, run } = useWork(async () => {
    const { data } = await get<Data<Volume>>('/api/volume')
    setCounted(data)
  })
  useEffect(() => void run(), [])
  return (
    <>
      <Faults faults={faultsIn(error)} />
      {counted.length > 0 && (
        <Table
          class="volume"
          rows={counted}
          columns={[
            { name: t.usage.resource, cell: ({ name }) => resourceName(name) },
            { name: t.usage.records, cell: totalText, isNumber: true },
          ]}
        />
      )}
      <Button id="count" text={t.health.count} isBusy={isBusy} onClick={() => void run()} />
    </>
  )
}
