// Preview as a key: its resources with real records, and the resources that it has no access to.
import { html, type Html } from '../../page/browser/html.ts'
import { get } from './ask.ts'
import type { Key } from './data.ts'
import { pricesLong, readChoices, storesLong } from './key-words.ts'
import { number, t } from './language.ts'
import { badge, empty, fact, resourceName } from './parts.ts'
import type { View } from './router.ts'

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
  const path = encodeURIComponent(id)
  const [{ key, data }, choices] = await Promise.all([
    get<{ key: Key; data: Seen[] }>(`/api/keys/${path}/view`),
    readChoices(),
  ])
  const [open, closed] = [data.filter(({ readable }) => readable), data.filter(({ readable }) => !readable)]
  const title = t.look.title(key.name)
  return {
    title,
    html: html`<p class="back"><a href="#keys/${path}">← ${key.name}</a></p>
      <div class="head">
        <h1>${title}</h1>
        ${badge(key.state)}
      </div>
      <p class="lead">${t.look.lead}</p>
      <dl class="facts">
        ${fact(t.look.stores, storesLong(key, choices))}${fact(t.look.prices, pricesLong(key, choices))}
      </dl>
      <div class="look">
        <section aria-labelledby="sees">
          <h2 id="sees">${t.look.sees}</h2>
          ${open.length === 0 ? empty(t.look.nothingReadable, '') : open.map(seenHtml)}
        </section>
        <section aria-labelledby="sees-not" class="sees-not">
          <h2 id="sees-not">${t.look.seesNot}</h2>
          ${closedHtml(open, closed)}
        </section>
      </div>`,
  }
}

function seenHtml({ name, fields = [], seen }: Seen, at: number): Html {
  if (!seen) return html`<p class="seen-not"><strong>${resourceName(name)}</strong> <span>${t.look.unread}</span></p>`
  const { total, total_of_all: all, records, whole } = seen
  const count =
    total === all ? t.look.allRecords(total, number(total)) : t.look.records(total, number(total), number(all))
  const none = all === 0 ? t.look.noRecordsAtAll : t.look.noRecords
  return html`<details class="seen" ${at === 0 && html`open`}>
    <summary>
      <strong>${resourceName(name)}</strong>
      <span>${all === 0 ? t.look.noRecordsAtAll : count} · ${t.look.fields(fields.length, number(fields.length))}</span>
    </summary>
    ${total === 0 ? html`<p>${none}</p>` : recordsHtml(resourceName(name), records)}
    ${whole !== null && wholeHtml(whole)}
  </details> `
}

// The full record, with its lines and payments.
const wholeHtml = (record: Shown): Html =>
  html`<details class="whole">
    <summary>${t.look.whole}</summary>
    <pre tabindex="0"><code>${JSON.stringify(record, null, 2)}</code></pre>
  </details>`

function recordsHtml(name: string, records: readonly Shown[]): Html {
  const columns = Object.keys(records[0] ?? {})
  const caption = t.look.first(records.length, number(records.length))
  return html`<div class="table records" tabindex="0" role="region" aria-label="${name}: ${caption}">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col"><code>${column}</code></th>`)}
        </tr>
      </thead>
      <tbody>
        ${records.map(
          (record) =>
            html`<tr>
              ${columns.map((column) => html`<td>${cell(record[column])}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`
}

function cell(value: unknown): Html | string {
  if (value === null || value === undefined) return html`<span class="nothing">–</span>`
  if (typeof value === 'boolean') return value ? t.page.yes : t.page.no
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value
  return html`<code>${JSON.stringify(value)}</code>`
}

function closedHtml(open: readonly Seen[], closed: readonly Seen[]): Html {
  const partly = open
    .map(({ name, hidden, seen }) => ({ name, hidden, ...(seen ?? nothing) }))
    .map(({ name, hidden, total, total_of_all: all }) => ({ name, hidden, others: all - total }))
    .filter(({ hidden, others }) => hidden.length > 0 || others > 0)
  if (partly.length + closed.length === 0) return html`<p>${t.look.allReadable}</p>`
  return html`<ul class="closed">
    ${
      closed.length > 0 &&
      html`<li>
        <strong>${t.look.notAtAll}</strong>
        <ul class="tags">
          ${closed.map(({ name }) => html`<li>${resourceName(name)}</li>`)}
        </ul>
      </li> `
    }
    ${partly.map(
      ({ name, hidden, others }) =>
        html`<li>
          <strong>${resourceName(name)}</strong>
          ${others > 0 && html`<span>${t.look.otherRecords(others, number(others))}</span>`}
          ${
            hidden.length > 0 &&
            html`<span
              >${t.look.hidden} ${hidden.map((field, at) => html`${at > 0 && ', '}<code>${field}</code>`)}</span
            >`
          }
        </li> `,
    )}
  </ul>`
}
