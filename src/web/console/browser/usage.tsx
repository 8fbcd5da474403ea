// Usage: requests and refusals by cause over a period, for all keys or for one, as a chart, tables and a file.
import type { ComponentChildren } from 'preact'
import { causes } from '../../../state/usage.ts'
import type { UnusedKeys as UnusedAnswer, Usage, UsageAnswer } from '../answers.ts'
import { ActionButton } from './action.tsx'
import { download, get } from './ask.ts'
import { Chart, sumOf } from './chart.tsx'
import { DayInputs, useAddressForm } from './form.tsx'
import { keyAddress } from './key-words.ts'
import { counted, fill, number, t } from './language.ts'
import { Empty, permissionName, resourceName, Table, Tags, type Column } from './parts.tsx'
import { PagedTable } from './paged-table.tsx'
import { addressWith, go, type MakeView } from './router.tsx'
import { readPeriod, readUsage, refusedOf, slotsOf, spans, usageQuery, type Period } from './usage-data.ts'

export const usageView: MakeView = async ({ subject: key, query }) => {
  const period = readPeriod(query)
  const [answer, unused] = await Promise.all([
    readUsage(period, key),
    key === '' ? get<UnusedAnswer>('/api/unused') : null,
  ])
  const name = answer.name ?? key
  const body = () => (
    <>
      <PeriodChoice period={period} />
      {answer.hours.length === 0 ? (
        <Empty title={t.usage.none} note={t.usage.noneNote}>
          <SignInsNote />
        </Empty>
      ) : (
        <UsageFigures answer={answer} period={period} level="h2">
          <ActionButton id="csv" text={t.page.csv} work={() => download(`/api/usage.csv?${usageQuery(period, key)}`)} />
        </UsageFigures>
      )}
      {unused && answer.hours.length > 0 && <ByKey {...answer} />}
      {unused && <UnusedKeys {...unused} />}
    </>
  )
  return () => ({
    title: key === '' ? t.nav.usage : fill(t.usage.titleOf, { name }),
    lead: t.usage.lead,
    ...(key === '' ? {} : { back: [keyAddress(key), name] }),
    body: body(),
  })
}

const ByKey = ({ keys }: UsageAnswer) => (
  <>
    <h2>{t.usage.byKey}</h2>
    <Counts
      id="by-key"
      name={t.usage.key}
      rows={keys}
      cell={({ client_id: id, name }) => (
        <a href={`#usage/${encodeURIComponent(id)}${querySuffix()}`}>{name ?? t.usage.gone}</a>
      )}
    />
  </>
)

// The same period, for one key.
const querySuffix = () => /\?.*/.exec(addressWith({ page: '' }))?.[0] ?? ''

const resourceText = (name: string) =>
  name === 'changes' ? t.usage.changes : name === 'other' ? t.usage.other : resourceName(name)

function PeriodChoice({ period }: { period: Period }) {
  const { form, submit } = useAddressForm(['from', 'to'])
  return (
    <div class="period">
      <div class="spans" role="group" aria-label={t.usage.span}>
        {spans.map((each) => (
          <button
            type="button"
            data-span={each}
            aria-pressed={each === period.span}
            onClick={() => void go(addressWith({ span: each === 'day' ? '' : each, from: '', to: '', page: '' }))}
          >
            {t.usage[each]}
          </button>
        ))}
      </div>
      <form class="own-period" onSubmit={(event) => submit(event, { span: '', page: '' })} aria-label={t.usage.own}>
        <DayInputs form={form} />
        <button type="submit" aria-pressed={period.span === 'own'}>
          {t.page.show}
        </button>
      </form>
    </div>
  )
}

// A key whose sign-ins are refused makes no requests that are counted.
export const SignInsNote = () => (
  <p class="note">
    {t.usage.signIns} <a href="#blocks">{t.nav.blocks}</a>.
  </p>
)

interface FiguresProps {
  readonly answer: UsageAnswer
  readonly period: Period
  // Of the headings.
  readonly level: 'h2' | 'h3'
  // Below the chart.
  readonly children?: ComponentChildren
}

// Also on the page of a key.
export function UsageFigures({ answer, period, level: Heading, children }: FiguresProps) {
  const slots = slotsOf(period, answer.hours)
  const series = [
    { name: t.usage.answered, kind: 'answered' },
    ...causes.map((cause) => ({ name: t.usage.causes[cause][0] ?? cause, kind: cause })),
  ]
  return (
    <>
      <Chart what={t.usage.per[period.unit]} bars={slots} series={series} />
      <details class="as-table">
        <summary>{t.usage.asTable}</summary>
        <Table class="" rows={slots} columns={[{ name: t.usage.when, cell: ({ when }) => when }, ...numbers()]} />
      </details>
      {children}
      <Heading>{t.usage.byCause}</Heading>
      <ByCause {...answer} />
      <SignInsNote />
      <Heading>{t.usage.byResource}</Heading>
      <Counts
        id="by-resource"
        name={t.usage.resource}
        rows={answer.resources}
        cell={({ resource }) => resourceText(resource)}
      />
    </>
  )
}

const numbers = (): Column<Usage>[] => [
  { name: t.usage.requests, cell: ({ requests }) => number(requests), isNumber: true },
  { name: t.usage.records, cell: ({ records }) => number(records), isNumber: true },
  { name: t.usage.refusals, cell: (usage) => number(refusedOf(usage)), isNumber: true },
]

// What was refused, why, and what to do.
function ByCause({ hours }: UsageAnswer) {
  const rows = causes
    .map((cause) => ({ cause, count: sumOf(hours.map(({ refusals }) => refusals[cause])) }))
    .filter(({ count }) => count > 0)
  if (rows.length === 0) return <p>{t.usage.noRefusals}</p>
  return (
    <Table
      id="by-cause"
      rows={rows}
      columns={[
        { name: t.usage.cause, cell: ({ cause }) => t.usage.causes[cause][0] },
        { name: t.usage.refusals, cell: ({ count }) => number(count), isNumber: true },
        { name: t.usage.whatToDo, cell: ({ cause }) => t.usage.causes[cause][1], class: 'details' },
      ]}
    />
  )
}

interface CountsProps<Row extends Usage> {
  readonly id: string
  readonly name: string
  readonly rows: readonly Row[]
  readonly cell: Column<Row>['cell']
}

const Counts = <Row extends Usage>({ id, name, rows, cell }: CountsProps<Row>) => (
  <PagedTable
    id={id}
    rows={rows.toSorted((one, other) => other.requests - one.requests)}
    columns={[{ name, cell }, ...numbers(), { name: t.usage.why, cell: whyText, class: 'details' }]}
  />
)

const whyText = ({ refusals }: Usage) =>
  causes
    .filter((cause) => refusals[cause] > 0)
    .map((cause) => `${t.usage.causes[cause][0]} ${number(refusals[cause])}`)
    .join(', ') || <span class="nothing">–</span>

const mostUnused = 100

// Keys with permissions that they do not use.
const UnusedKeys = ({ data: keys, days }: UnusedAnswer) => (
  <>
    <h2>{t.usage.unused}</h2>
    <p>
      {keys.length === 0
        ? fill(t.usage.unusedNone, { days: number(days) })
        : fill(t.usage.unusedLead, { days: number(days) })}
    </p>
    <ul class="unused">
      {keys.slice(0, mostUnused).map(({ client_id: id, name, permissions }) => (
        <li key={id}>
          <a href={keyAddress(id)}>{name}</a>
          <Tags names={permissions.map(permissionName)} />
        </li>
      ))}
    </ul>
    {keys.length > mostUnused && (
      <p>
        {counted(t.usage.unusedMore, keys.length - mostUnused)} <code>vitrine keys unused</code>
      </p>
    )}
  </>
)
