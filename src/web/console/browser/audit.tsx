// The history: who did what, filtered by act, person, subject and time. The filters are in the address.
import { useState } from 'preact/hooks'
import { useAddressForm } from './address-form.ts'
import { download, get } from './ask.ts'
import { actName, byName, EntriesTable, readNames, type Names } from './audit-text.tsx'
import type { Entries as Answer } from '../answers.ts'
import { Field, Select } from './form.tsx'
import { t } from './language.ts'
import { Action, Empty } from './parts.tsx'
import type { MakeView } from './router.tsx'

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
  return {
    title: () => t.nav.audit,
    lead: () => t.audit.lead,
    body: (
      <>
        <Filters by={first.by} />
        <Entries key={String(asked)} first={first} asked={asked} known={known} />
      </>
    ),
  }
}

function Filters({ by }: { by: readonly string[] }) {
  const { input, submit, clear } = useAddressForm(filters)
  const acts = Object.keys(t.acts).map((act) => [act, actName(act)] as const)
  const people = by.map((each) => [each, byName(each)] as const)
  return (
    <form class="filters" role="search" autocomplete="off" onSubmit={submit} onReset={clear}>
      <Field id="act" label={t.audit.what}>
        <Select {...input('act')} options={[['', t.audit.anything], ...acts]} />
      </Field>
      <Field id="by" label={t.audit.who}>
        <Select {...input('by')} options={[['', t.page.all], ...people]} />
      </Field>
      <Field id="subject" label={t.audit.subject}>
        <input type="text" spellcheck={false} {...input('subject')} />
      </Field>
      <Field id="from" label={t.audit.from}>
        <input type="date" {...input('from')} />
      </Field>
      <Field id="to" label={t.audit.to}>
        <input type="date" {...input('to')} />
      </Field>
      <p class="buttons">
        <button type="submit" class="primary">
          {t.page.show}
        </button>
        <button type="reset">{t.audit.clear}</button>
      </p>
    </form>
  )
}

interface EntriesProps {
  readonly first: Answer
  readonly asked: URLSearchParams
  readonly known: Names
}

function Entries({ first, asked, known }: EntriesProps) {
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
            <Action id="csv" work={() => download(`/api/audit.csv?${asked}`)}>
              {t.page.csv}
            </Action>
          </p>
          <EntriesTable entries={entries} known={known} />
        </>
      )}
      {!answers.at(-1)?.is_last && (
        <Action class="older" work={older}>
          {t.audit.older}
        </Action>
      )}
    </div>
  )
}
