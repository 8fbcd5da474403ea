// Usage: requests and refusals by cause over a period, for all keys or for one, as a chart, tables and a file.
import { useState } from 'preact/hooks'
import { download, get } from './ask.ts'
import { AsTable, Chart } from './chart.tsx'
import { number, t } from './language.ts'
import { Action, Empty, pageOf, Pager, readPage, resourceName, Table, type Column } from './parts.tsx'
import { addressWith, go, setQuery, useQuery, type MakeView } from './router.tsx'
import { UnusedKeys, type UnusedKey } from './unused.tsx'
import {
  causes,
  readPeriod,
  readUsage,
  refusedOf,
  slotsOf,
  spans,
  usageQuery,
  type Period,
  type Slot,
  type Usage,
  type UsageAnswer,
} from './usage-data.ts'

type Unused = { readonly days: number; readonly data: readonly UnusedKey[] } | null

export const usageView: MakeView = async ({ subject, query }) => {
  const period = readPeriod(query)
  const [answer, unused] = await Promise.all([
    readUsage(period, subject),
    subject === '' ? get<Unused>('/api/unused') : null,
  ])
  return {
    title: () => titleOf(subject, answer.name),
    body: <UsagePage of={subject} answer={answer} period={period} unused={unused} />,
  }
}

const titleOf = (key: string, name: string | null) => (key === '' ? t.usage.title : t.usage.titleOf(name ?? key))

interface UsagePageProps {
  readonly of: string
  readonly answer: UsageAnswer
  readonly period: Period
  readonly unused: Unused
}

function UsagePage({ of: key, answer, period, unused }: UsagePageProps) {
  const isNone = answer.hours.length === 0
  return (
    <>
      {key !== '' && (
        <p class="back">
          <a href={`#keys/${encodeURIComponent(key)}`}>← {answer.name ?? key}</a>
        </p>
      )}
      <h1>{titleOf(key, answer.name)}</h1>
      <p class="lead">{t.usage.lead}</p>
      <PeriodChoice period={period} />
      {isNone ? (
        <Empty title={t.usage.none} note={t.usage.noneNote} />
      ) : (
        <>
          <UsageChart answer={answer} period={period} />
          <p>
            <Action id="csv" work={() => download(`/api/usage.csv?${usageQuery(period, key)}`, 'usage')}>
              {t.page.csv}
            </Action>
          </p>
          <UsageTables answer={answer} level="h2" />
          {key === '' && (
            <>
              <h2>{t.usage.byKey}</h2>
              <Counts
                id="by-key"
                name={t.usage.key}
                rows={answer.keys}
                keyOf={({ client_id: id }) => id}
                cell={({ client_id: id, name }) => (
                  <a href={`#usage/${encodeURIComponent(id)}${querySuffix()}`}>{name ?? t.usage.gone}</a>
                )}
              />
            </>
          )}
        </>
      )}
      {unused !== null && <UnusedKeys keys={unused.data} days={unused.days} />}
    </>
  )
}

// The same period, for one key.
const querySuffix = () => /\?.*/.exec(addressWith({ page: '' }))?.[0] ?? ''

const resourceText = (name: string) =>
  name === 'changes' ? t.usage.changes : name === 'other' ? t.usage.other : resourceName(name)

function PeriodChoice({ period }: { period: Period }) {
  const query = useQuery()
  const [from, setFrom] = useState(query.get('from') ?? '')
  const [to, setTo] = useState(query.get('to') ?? '')
  const own = (event: Event) => {
    event.preventDefault()
    if (from !== '' && to !== '') go(addressWith({ from, to, span: '', page: '' }))
  }
  return (
    <div class="period">
      <div class="spans" role="group" aria-label={t.usage.span}>
        {spans.map((each) => (
          <button
            type="button"
            data-span={each}
            aria-pressed={each === period.span}
            onClick={() => go(addressWith({ span: each === 'day' ? '' : each, from: '', to: '', page: '' }))}
          >
            {t.usage[each]}
          </button>
        ))}
      </div>
      <form class="own-period" onSubmit={own} aria-label={t.usage.own}>
        <p class="input">
          <label for="from">{t.audit.from}</label>
          <input
            id="from"
            type="date"
            required
            value={from}
            max={to || undefined}
            onInput={({ currentTarget }) => setFrom(currentTarget.value)}
          />
        </p>
        <p class="input">
          <label for="to">{t.audit.to}</label>
          <input
            id="to"
            type="date"
            required
            value={to}
            min={from || undefined}
            onInput={({ currentTarget }) => setTo(currentTarget.value)}
          />
        </p>
        <button type="submit" aria-pressed={period.span === 'own'}>
          {t.usage.show}
        </button>
      </form>
    </div>
  )
}

// Also on the page of a key.
export function UsageChart({ answer, period }: { answer: UsageAnswer; period: Period }) {
  const slots = slotsOf(period, answer.hours)
  const series = [
    { name: t.usage.answered, kind: 'answered' },
    ...causes.map((cause) => ({ name: t.usage.causes[cause][0] ?? cause, kind: cause })),
  ]
  // A cause that does not occur is not in the legend.
  const seen = series.map((_, at) => at === 0 || slots.some(({ parts }) => (parts[at] ?? 0) > 0))
  const only = <Each,>(all: readonly Each[]) => all.filter((_, at) => seen[at])
  const bars = slots.map((slot) => ({ ...slot, parts: only(slot.parts) }))
  return (
    <>
      <Chart what={t.usage.per[period.unit]} bars={bars} series={only(series)} />
      <AsTable>
        <Table
          class=""
          rows={slots}
          keyOf={({ when }) => when}
          columns={[
            { name: t.usage.when, cell: ({ when, isPartial }) => `${when}${isPartial ? ` (${t.usage.partial})` : ''}` },
            ...numbers<Slot>(({ refused }) => refused),
          ]}
        />
      </AsTable>
    </>
  )
}

const numbers = <Row extends { requests: number; records: number }>(refused: (row: Row) => number): Column<Row>[] => [
  { name: t.usage.requests, cell: ({ requests }) => number(requests), isNumber: true },
  { name: t.usage.records, cell: ({ records }) => number(records), isNumber: true },
  { name: t.usage.refusals, cell: (row) => number(refused(row)), isNumber: true },
]

interface TablesProps {
  readonly answer: UsageAnswer
  // Of the headings.
  readonly level: 'h2' | 'h3'
}

// Also on the page of a key.
export const UsageTables = ({ answer, level: Heading }: TablesProps) => (
  <>
    <ByCause answer={answer} level={Heading} />
    <Heading>{t.usage.byResource}</Heading>
    <Counts
      id="by-resource"
      name={t.usage.resource}
      rows={answer.resources}
      keyOf={({ resource }) => resource}
      cell={({ resource }) => resourceText(resource)}
    />
  </>
)

// What was refused, why, and what to do.
function ByCause({ answer: { hours }, level: Heading }: TablesProps) {
  const rows = causes
    .map((cause) => ({ cause, count: hours.reduce((sum, { refusals }) => sum + refusals[cause], 0) }))
    .filter(({ count }) => count > 0)
  return (
    <>
      <Heading>{t.usage.byCause}</Heading>
      {rows.length === 0 ? (
        <p>{t.usage.noRefusals}</p>
      ) : (
        <div id="by-cause">
          <Table
            rows={rows}
            keyOf={({ cause }) => cause}
            columns={[
              { name: t.usage.cause, cell: ({ cause }) => t.usage.causes[cause][0] },
              { name: t.usage.refusals, cell: ({ count }) => number(count), isNumber: true },
              { name: t.usage.whatToDo, cell: ({ cause }) => t.usage.causes[cause][1], class: 'details' },
            ]}
          />
        </div>
      )}
    </>
  )
}

interface CountsProps<Row extends Usage> {
  readonly id: string
  readonly name: string
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly cell: Column<Row>['cell']
}

function Counts<Row extends Usage>({ id, name, rows, keyOf, cell }: CountsProps<Row>) {
  const page = readPage(useQuery(), rows.length)
  const all = rows.toSorted((one, other) => other.requests - one.requests)
  return (
    <div id={id}>
      <Table
        rows={pageOf(all, page)}
        keyOf={keyOf}
        columns={[{ name, cell }, ...numbers<Row>(refusedOf), { name: t.usage.why, cell: whyText, class: 'details' }]}
      />
      <Pager page={page} count={all.length} onTurn={(next) => setQuery({ page: String(next + 1) })} />
    </div>
  )
}

const whyText = ({ refusals }: Usage) =>
  causes
    .filter((cause) => refusals[cause] > 0)
    .map((cause) => `${t.usage.causes[cause][0]} ${number(refusals[cause])}`)
    .join(', ') || <span class="nothing">–</span>
