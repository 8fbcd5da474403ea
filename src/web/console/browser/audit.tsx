// The history: who did what, filtered by act, person, subject and time. The filters are in the address.
import { useEffect, useState } from 'preact/hooks'
import { download, get } from './ask.ts'
import { actName, byName, EntriesTable, readNames, type Names } from './audit-text.tsx'
import type { Entry } from './data.ts'
import { t } from './language.ts'
import { Action, Empty } from './parts.tsx'
import { addressWith, go, useQuery, type MakeView } from './router.tsx'

interface Answer {
  readonly data: readonly Entry[]
  readonly is_last: boolean
  // All names in the history, to choose from.
  readonly by: readonly string[]
}

const filters = ['act', 'by', 'subject', 'from', 'to'] as const

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
  return { title: () => t.audit.title, body: <Audit first={first} asked={asked} known={known} /> }
}

interface AuditProps {
  readonly first: Answer
  readonly asked: URLSearchParams
  readonly known: Names
}

const Audit = ({ first, asked, known }: AuditProps) => (
  <>
    <h1>{t.audit.title}</h1>
    <p class="lead">{t.audit.lead}</p>
    <Filters by={first.by} />
    <Entries key={String(asked)} first={first} asked={asked} known={known} />
  </>
)

function apply(event: Event, values: Readonly<Record<string, string>>) {
  event.preventDefault()
  go(addressWith(values))
}

function Filters({ by }: { by: readonly string[] }) {
  const query = useQuery()
  const asked = Object.fromEntries(filters.map((name) => [name, query.get(name) ?? '']))
  const [typed, setTyped] = useState(asked)
  useEffect(() => setTyped(asked), [String(query)])
  const input = (name: string) => ({
    id: name,
    value: typed[name] ?? '',
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
      setTyped((before) => ({ ...before, [name]: currentTarget.value })),
  })
  const none = Object.fromEntries(filters.map((name) => [name, '']))
  return (
    <form
      class="filters"
      role="search"
      autocomplete="off"
      onSubmit={(event) => apply(event, typed)}
      onReset={(event) => apply(event, none)}
    >
      <p class="input">
        <label for="act">{t.audit.what}</label>
        <select {...input('act')}>
          <option value="">{t.audit.anything}</option>
          {Object.keys(t.acts).map((act) => (
            <option value={act}>{actName(act)}</option>
          ))}
        </select>
      </p>
      <p class="input">
        <label for="by">{t.audit.who}</label>
        <select {...input('by')}>
          <option value="">{t.page.all}</option>
          {by.map((each) => (
            <option value={each}>{byName(each)}</option>
          ))}
        </select>
      </p>
      <p class="input">
        <label for="subject">{t.audit.subject}</label>
        <input type="text" spellcheck={false} {...input('subject')} />
      </p>
      <p class="input">
        <label for="from">{t.audit.from}</label>
        <input type="date" {...input('from')} />
      </p>
      <p class="input">
        <label for="to">{t.audit.to}</label>
        <input type="date" {...input('to')} />
      </p>
      <p class="buttons start">
        <button type="submit" class="primary">
          {t.audit.filter}
        </button>
        <button type="reset">{t.audit.clear}</button>
      </p>
    </form>
  )
}

function Entries({ first, asked, known }: AuditProps) {
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
      {entries.length > 0 && (
        <p>
          <Action id="csv" work={() => download(`/api/audit.csv?${asked}`, 'history')}>
            {t.page.csv}
          </Action>
        </p>
      )}
      {entries.length === 0 ? (
        <Empty title={t.audit.none} note={t.audit.noneNote} />
      ) : (
        <EntriesTable entries={entries} known={known} />
      )}
      {!answers.at(-1)?.is_last && (
        <p>
          <Action class="older" work={older}>
            {t.audit.older}
          </Action>
        </p>
      )}
    </div>
  )
}
