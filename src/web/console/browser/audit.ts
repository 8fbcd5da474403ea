// The history: who did what, filtered by act, person, subject and time.
import { one } from '../../page/browser/dom.ts'
import { html, type Html } from '../../page/browser/html.ts'
import { get, sentencesOf } from './ask.ts'
import { actName, byName, entriesHtml, entryRow } from './audit-text.ts'
import type { Entry } from './data.ts'
import { t } from './language.ts'
import { asText, atWork, empty } from './parts.ts'
import type { View } from './router.ts'

interface Answer {
  readonly data: readonly Entry[]
  readonly is_last: boolean
  // All names in the history, to choose from.
  readonly by: readonly string[]
}

// `subject` comes from the address, which the page of a key links to.
export async function auditView(subject: string): Promise<View> {
  const first = await get<Answer>(`/api/audit?${new URLSearchParams({ subject })}`)
  return {
    title: t.audit.title,
    html: html`<h1>${t.audit.title}</h1>
      <p class="lead">${t.audit.lead}</p>
      ${formHtml(subject, first.by)}
      <div class="faults" role="alert"></div>
      <div id="entries">${listHtml(first)}</div>`,
    ready: (main) => watch(main, first),
  }
}

const formHtml = (subject: string, by: readonly string[]): Html =>
  html`<form class="filters" role="search" autocomplete="off">
    <p class="input">
      <label for="act">${t.audit.what}</label
      ><select id="act" name="act">
        <option value="">${t.audit.anything}</option>
        ${Object.keys(t.acts).map((act) => html`<option value="${act}">${actName(act)}</option>`)}
      </select>
    </p>
    <p class="input">
      <label for="by">${t.audit.who}</label
      ><select id="by" name="by">
        <option value="">${t.page.all}</option>
        ${by.map((each) => html`<option value="${each}">${byName(each)}</option>`)}
      </select>
    </p>
    <p class="input">
      <label for="subject">${t.audit.subject}</label
      ><input id="subject" name="subject" type="text" value="${subject}" spellcheck="false" />
    </p>
    <p class="input"><label for="from">${t.audit.from}</label><input id="from" name="from" type="date" /></p>
    <p class="input"><label for="to">${t.audit.to}</label><input id="to" name="to" type="date" /></p>
    <p class="buttons start">
      <button type="submit" class="primary">${t.audit.filter}</button>
      <button type="reset">${t.audit.clear}</button>
    </p>
  </form>`

const listHtml = ({ data, is_last: isLast }: Answer): Html =>
  data.length === 0
    ? empty(t.audit.none, t.audit.noneNote)
    : html`${entriesHtml(data, true)}
      ${!isLast && html`<p><button type="button" class="older">${t.audit.older}</button></p>`}`

function watch(main: HTMLElement, first: Answer) {
  const form = one('form', HTMLFormElement, main)
  const [list, faults] = [one('#entries', HTMLElement, main), one('.faults', HTMLElement, main)]
  let asked = queryOf(form)
  let last = first.data.at(-1)?.id
  const read = async (button: HTMLButtonElement, query: URLSearchParams) => {
    faults.textContent = ''
    try {
      const answer = await atWork(button, () => get<Answer>(`/api/audit?${query}`))
      last = answer.data.at(-1)?.id
      return answer
    } catch (error) {
      faults.innerHTML = html`${sentencesOf(error).map((each) => html`<p>${each}</p>`)}`.text
      return undefined
    }
  }
  const filter = async () => {
    asked = queryOf(form)
    const answer = await read(one('[type=submit]', HTMLButtonElement, form), asked)
    if (answer) list.innerHTML = listHtml(answer).text
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void filter()
  })
  form.addEventListener('reset', (event) => {
    event.preventDefault()
    for (const each of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select')) each.value = ''
    void filter()
  })
  list.addEventListener('click', (event) => {
    const older = event.target instanceof Element ? event.target.closest<HTMLButtonElement>('.older') : null
    if (!older) return
    void more(older)
  })
  const more = async (older: HTMLButtonElement) => {
    const answer = await read(older, new URLSearchParams([...asked, ['before', String(last)]]))
    if (!answer) return
    const body = one('tbody', HTMLTableSectionElement, list)
    const next = body.rows.length
    body.insertAdjacentHTML('beforeend', html`${answer.data.map((entry) => entryRow(entry, true))}`.text)
    if (answer.is_last) older.parentElement?.remove()
    body.rows[next]?.scrollIntoView({ block: 'nearest' })
  }
}

// Days are in the time zone of the browser; the last day is included.
function queryOf(form: HTMLFormElement): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of new FormData(form)) {
    const text = asText(value).trim()
    if (text === '') continue
    if (name !== 'from' && name !== 'to') query.set(name, text)
    else {
      const [year = 0, month = 1, day = 1] = text.split('-').map(Number)
      query.set(name, new Date(year, month - 1, day + (name === 'to' ? 1 : 0)).toISOString())
    }
  }
  return query
}
