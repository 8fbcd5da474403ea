// Usage: requests, records and refusals over a day, a month or a year, for all keys or for one.
import { element } from '../../page/browser/dom.ts'
import { html, type Html } from '../../page/browser/html.ts'
import { get } from './ask.ts'
import { chartHtml, type Bar } from './chart.ts'
import type { Use } from './data.ts'
import { day, hour, month, number, shortDay, shortHour, t } from './language.ts'
import { empty, pager, perPage } from './parts.ts'
import { show, type View } from './router.ts'
import { unusedHtml, type UnusedKey } from './unused.ts'

type Span = 'day' | 'month' | 'year'
type HourUse = Use & { readonly hour: string }
type KeyUse = Use & { readonly client_id: string; readonly name: string | null }
type Slot = Use & { readonly label: string; readonly when: string }

type ByCause<Row> = Omit<Row, 'refusals'> & { readonly refusals: Readonly<Record<string, number>> }
interface Sent {
  readonly hours: readonly ByCause<HourUse>[]
  readonly keys: readonly ByCause<KeyUse>[]
  readonly name: string | null
}
const together = <Row>(row: ByCause<Row>) => ({
  ...row,
  refusals: Object.values(row.refusals).reduce((sum, count) => sum + count, 0),
})

const measures = ['requests', 'records', 'refusals'] as const
let span: Span = 'day'

// When each slot of a span begins; the last entry is the end. Days and months are in the time zone of the browser.
function slotsOf(over: Span, now: Date): Date[] {
  const [year, at, today, hourNow] = [now.getFullYear(), now.getMonth(), now.getDate(), now.getHours()]
  if (over === 'day') {
    // Counts elapsed hours, so that every hour is one slot, also when the clocks change.
    const next = new Date(year, at, today, hourNow).getTime() + 3_600_000
    return Array.from({ length: 25 }, (_, each) => new Date(next - (24 - each) * 3_600_000))
  }
  if (over === 'month') return Array.from({ length: 31 }, (_, each) => new Date(year, at, today - 29 + each))
  return Array.from({ length: 13 }, (_, each) => new Date(year, at - 11 + each, 1))
}

const names: Readonly<Record<Span, (time: Date) => { label: string; when: string }>> = {
  day: (time) => ({ label: shortHour(time), when: `${shortDay(time)}, ${hour(time)}` }),
  month: (time) => ({ label: shortDay(time), when: day(time) }),
  year: (time) => ({ label: month(time, true), when: month(time) }),
}

function fillSlots(over: Span, edges: readonly Date[], hours: readonly HourUse[]): Slot[] {
  const sums = edges.slice(0, -1).map((time) => ({ ...names[over](time), requests: 0, records: 0, refusals: 0 }))
  for (const { hour: at, requests, records, refusals } of hours) {
    const moment = Date.parse(at)
    const slot = sums[edges.findLastIndex((edge) => edge.getTime() <= moment)]
    if (!slot) continue
    slot.requests += requests
    slot.records += records
    slot.refusals += refusals
  }
  return sums
}

export async function useView(key: string): Promise<View> {
  const edges = slotsOf(span, new Date())
  const [from, to] = [edges[0] ?? new Date(), edges.at(-1) ?? new Date()]
  const query = new URLSearchParams({ from: from.toISOString(), to: to.toISOString(), ...(key === '' ? {} : { key }) })
  const [{ hours, keys, name }, unused] = await Promise.all([
    get<Sent>(`/api/usage?${query}`).then(({ hours: each, keys: all, name: of }) => ({
      hours: each.map(together),
      keys: all.map(together),
      name: of,
    })),
    key === '' ? get<{ days: number; data: UnusedKey[] }>('/api/unused') : null,
  ])
  const slots = fillSlots(span, edges, hours)
  const title = key === '' ? t.use.title : t.use.titleOf(name ?? key)
  const isNone = hours.length === 0
  return {
    title,
    html: html`${key !== '' && html`<p class="back"><a href="#use">← ${t.use.allKeys}</a></p>`}
      <h1>${title}</h1>
      <p class="lead">${t.use.lead}</p>
      <div class="spans" role="group" aria-label="${t.use.span}">
        ${(['day', 'month', 'year'] as const).map(
          (each) =>
            html`<button type="button" data-span="${each}" aria-pressed="${String(each === span)}">
              ${t.use[each]}
            </button> `,
        )}
      </div>
      ${isNone ? empty(t.use.none, t.use.noneNote) : chartsHtml(slots)}
      ${
        key === '' &&
        !isNone &&
        html`<h2>${t.use.byKey}</h2>
          <div id="by-key"></div>`
      }
      ${unused !== null && unusedHtml(unused.data, unused.days)}`,
    ready: (main) => watch(main, key, slots, keys, isNone),
  }
}

const chartsHtml = (slots: readonly Slot[]): Html =>
  html`<div class="charts">
      ${measures.map(
        (measure) =>
          html`<figure>
            <figcaption>
              <strong>${t.use[measure]}</strong>
              <span class="total">${number(slots.reduce((sum, slot) => sum + slot[measure], 0))}</span>
            </figcaption>
            <div class="drawn" data-measure="${measure}"></div>
            ${measure === 'refusals' && html`<p class="note">${t.use.refusalsNote}</p>`}
          </figure>`,
      )}
    </div>
    <details class="as-table">
      <summary>${t.use.asTable}</summary>
      <div class="table">
        <table>
          <thead>
            <tr>
              <th scope="col">${t.use.when}</th>
              ${measures.map((measure) => html`<th scope="col" class="number">${t.use[measure]}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${slots.map(
              (slot) =>
                html`<tr>
                  <th scope="row">${slot.when}</th>
                  ${measures.map((measure) => html`<td class="number">${number(slot[measure])}</td>`)}
                </tr> `,
            )}
          </tbody>
        </table>
      </div>
    </details>`

function watch(main: HTMLElement, key: string, slots: readonly Slot[], keys: readonly KeyUse[], isNone: boolean) {
  for (const button of main.querySelectorAll<HTMLButtonElement>('[data-span]'))
    button.addEventListener('click', () => void again(button.dataset['span'] as Span))
  if (isNone) return
  if (key === '') watchKeys(element('#by-key', main), keys)
  const draw = () => {
    for (const place of main.querySelectorAll<HTMLElement>('.drawn')) {
      const measure = place.dataset['measure'] as (typeof measures)[number]
      const bars = slots.map(({ label, when, [measure]: value }): Bar => ({ label, when, value }))
      place.innerHTML = chartHtml(t.use[measure], bars, Math.max(240, Math.floor(place.clientWidth)), measure).text
    }
  }
  draw()
  const observer = new ResizeObserver(draw)
  observer.observe(element('.drawn', main))
  return () => observer.disconnect()
}

// The pressed button keeps the focus.
async function again(pressed: Span) {
  span = pressed
  await show()
  element(`[data-span=${pressed}]`).focus()
}

function watchKeys(place: HTMLElement, keys: readonly KeyUse[]) {
  const all = keys.toSorted((one, other) => other.requests - one.requests)
  const write = (page: number) => {
    place.innerHTML = html`<div class="table">
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">${t.use.key}</th>
              ${measures.map((measure) => html`<th scope="col" class="number">${t.use[measure]}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${all.slice(page * perPage, (page + 1) * perPage).map(
              (each) =>
                html`<tr>
                  <th scope="row">
                    <a href="#use/${encodeURIComponent(each.client_id)}">${each.name ?? t.use.gone}</a>
                  </th>
                  ${measures.map(
                    (measure) => html`<td class="number" data-label="${t.use[measure]}">${number(each[measure])}</td>`,
                  )}
                </tr> `,
            )}
          </tbody>
        </table>
      </div>
      ${pager(page, all.length)}`.text
  }
  place.addEventListener('click', (event) => {
    const turn = event.target instanceof Element ? event.target.closest<HTMLElement>('.turn') : null
    if (!turn) return
    write(Number(turn.dataset['page']))
    place.querySelector<HTMLElement>('.pager button:not(:disabled)')?.focus()
  })
  write(0)
}
