// Preview as a key: its resources with real records, and the resources that it has no access to.
import { get } from './ask.ts'
import type { Choices, Key } from './data.ts'
import { pricesLong, readChoices, storesLong } from './key-words.ts'
import { number, t } from './language.ts'
import { Badge, Empty, Fact, resourceName, Tags } from './parts.tsx'
import type { View } from './router.tsx'

interface Seen {
  readonly name: string
  readonly readable: boolean
  readonly fields?: readonly string[]
  readonly hidden: readonly string[]
  // null: it could not be read.
  readonly seen?: Sample | null
}

type Shown = Readonly<Record<string, unknown>>

interface Sample {
  readonly total: number
  readonly total_of_all: number
  readonly records: readonly Shown[]
  readonly whole: Shown | null
}

const nothing: Sample = { total: 0, total_of_all: 0, records: [], whole: null }

export async function keyLookView(id: string): Promise<View> {
  const [{ key, data }, choices] = await Promise.all([
    get<{ key: Key; data: Seen[] }>(`/api/keys/${encodeURIComponent(id)}/view`),
    readChoices(),
  ])
  return { title: () => t.look.title(key.name), body: <Look of={key} data={data} choices={choices} /> }
}

function Look({ of: key, data, choices }: { of: Key; data: readonly Seen[]; choices: Choices }) {
  const [open, closed] = [data.filter(({ readable }) => readable), data.filter(({ readable }) => !readable)]
  return (
    <>
      <p class="back">
        <a href={`#keys/${encodeURIComponent(key.client_id)}`}>← {key.name}</a>
      </p>
      <div class="head">
        <h1>{t.look.title(key.name)}</h1>
        <Badge state={key.state} />
      </div>
      <p class="lead">{t.look.lead}</p>
      <dl class="facts">
        <Fact name={t.look.stores}>{storesLong(key, choices)}</Fact>
        <Fact name={t.look.prices}>{pricesLong(key, choices)}</Fact>
      </dl>
      <div class="look">
        <section aria-labelledby="sees">
          <h2 id="sees">{t.look.sees}</h2>
          {open.length === 0 && <Empty title={t.look.nothingReadable} />}
          {open.map((each, at) => (
            <SeenResource {...each} isOpen={at === 0} />
          ))}
        </section>
        <section aria-labelledby="sees-not" class="sees-not">
          <h2 id="sees-not">{t.look.seesNot}</h2>
          <Closed open={open} closed={closed} />
        </section>
      </div>
    </>
  )
}

function SeenResource({ name, fields = [], seen, isOpen }: Seen & { isOpen: boolean }) {
  if (!seen)
    return (
      <p class="seen-not">
        <strong>{resourceName(name)}</strong> <span>{t.look.unread}</span>
      </p>
    )
  const { total, total_of_all: all, records, whole } = seen
  const count =
    total === all ? t.look.allRecords(total, number(total)) : t.look.records(total, number(total), number(all))
  const none = all === 0 ? t.look.noRecordsAtAll : t.look.noRecords
  return (
    <details class="seen" open={isOpen}>
      <summary>
        <strong>{resourceName(name)}</strong>{' '}
        <span>
          {all === 0 ? t.look.noRecordsAtAll : count} · {t.look.fields(fields.length, number(fields.length))}
        </span>
      </summary>
      {total === 0 ? <p>{none}</p> : <Records name={resourceName(name)} records={records} />}
      {whole !== null && (
        <details class="whole">
          <summary>{t.look.whole}</summary>
          <pre tabIndex={0}>
            <code>{JSON.stringify(whole, null, 2)}</code>
          </pre>
        </details>
      )}
    </details>
  )
}

function Records({ name, records }: { name: string; records: readonly Shown[] }) {
  const columns = Object.keys(records[0] ?? {})
  const caption = t.look.first(records.length, number(records.length))
  return (
    <div class="table records" tabIndex={0} role="region" aria-label={`${name}: ${caption}`}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col">
                <code>{column}</code>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr>
              {columns.map((column) => (
                <td>{cell(record[column])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function cell(value: unknown) {
  if (value === null || value === undefined) return <span class="nothing">–</span>
  if (typeof value === 'boolean') return value ? t.page.yes : t.page.no
  if (typeof value === 'number' || typeof value === 'string') return String(value)
  return <code>{JSON.stringify(value)}</code>
}

function Closed({ open, closed }: { open: readonly Seen[]; closed: readonly Seen[] }) {
  const partly = open
    .map(({ name, hidden, seen }) => ({ name, hidden, ...(seen ?? nothing) }))
    .map(({ name, hidden, total, total_of_all: all }) => ({ name, hidden, others: all - total }))
    .filter(({ hidden, others }) => hidden.length > 0 || others > 0)
  if (partly.length + closed.length === 0) return <p>{t.look.allReadable}</p>
  return (
    <ul class="closed">
      {closed.length > 0 && (
        <li>
          <strong>{t.look.notAtAll}</strong>
          <Tags names={closed.map(({ name }) => resourceName(name))} />
        </li>
      )}
      {partly.map(({ name, hidden, others }) => (
        <li>
          <strong>{resourceName(name)}</strong>
          {others > 0 && <span>{t.look.otherRecords(others, number(others))}</span>}
          {hidden.length > 0 && (
            <span>
              {t.look.hidden}{' '}
              {hidden.map((field, at) => (
                <>
                  {at > 0 && ', '}
                  <code>{field}</code>
                </>
              ))}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
