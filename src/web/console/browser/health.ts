// The health of the service, refreshed while the view is open, and the amount of data.
import { element, one } from '../../page/browser/dom.ts'
import { html, type Html } from '../../page/browser/html.ts'
import { get, sentencesOf } from './ask.ts'
import { day, number, seconds, t } from './language.ts'
import { atWork, resourceName } from './parts.ts'
import type { View } from './router.ts'

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

export async function healthView(): Promise<View> {
  const health = await get<Health>('/api/health')
  return {
    title: t.health.title,
    html: html`<h1>${t.health.title}</h1>
      <p class="lead">${t.health.lead}</p>
      <div id="vitals">${vitalsHtml(health)}</div>
      <h2>${t.health.volume}</h2>
      <div id="volume"><p class="loading" role="status">${t.health.counting}</p></div>
      <p><button type="button" id="count">${t.health.count}</button></p>`,
    ready: watch,
  }
}

function watch(main: HTMLElement) {
  let isLooking = false
  const look = async () => {
    if (isLooking || document.hidden) return
    isLooking = true
    try {
      element('#vitals', main).innerHTML = vitalsHtml(await get<Health>('/api/health?unasked')).text
    } catch {
      // The old values stay, with their time. The banner above says that the service is lost.
    } finally {
      isLooking = false
    }
  }
  const timer = setInterval(() => void look(), lookEveryMs)
  const button = one('#count', HTMLButtonElement, main)
  const count = () => void atWork(button, () => countVolume(element('#volume', main)))
  button.addEventListener('click', count)
  count()
  return () => clearInterval(timer)
}

const card = (name: string, value: string, note: string, kind: 'good' | 'bad' | 'plain' = 'plain'): Html =>
  html`<div class="card ${kind}">
    <dt>${name}</dt>
    <dd>
      <strong>${value}</strong>
      ${note !== '' && html`<span>${note}</span>`}
    </dd>
  </div> `

function vitalsHtml(health: Health): Html {
  const part = (name: string, isUp: boolean, otherwise: string) =>
    card(name, isUp ? t.health.works : t.health.away, isUp ? '' : otherwise, isUp ? 'good' : 'bad')
  const { waiting, statements_stopped: stopped, lag_seconds: lag, blocks } = health
  return html`<dl class="cards-grid">
      ${part(t.health.engine, health.engine_up, t.health.engineAway)}
      ${part(t.health.state, health.state_up, t.health.stateAway)}${certificateCard(health)} ${changesCard(health)}
      ${card(t.health.readers, t.health.readersOf(number(health.readers_busy), number(health.readers)), '')}
      ${card(t.health.waiting, number(waiting), waiting === 0 ? t.health.waitingNone : t.health.waitingSome)}
      ${card(t.health.stopped, number(stopped), stopped === 0 ? t.health.stoppedNone : t.health.stoppedSome)}
      ${card(t.health.lag, lag === null ? '–' : t.health.seconds(number(lag)), lag === null ? t.health.lagNone : t.health.lagSome)}
      ${health.copy !== null && copyCard(health.copy)} ${blocks !== null && card(t.health.blocked, number(blocks), '')}
    </dl>
    <p class="note">${t.health.looked(seconds(new Date()))}</p>
    <h2>${t.health.lists}</h2>
    <div id="lists">${listsHtml(health)}</div>`
}

function listsHtml({ plain_lists: plain }: Health): Html {
  if (plain === null) return html`<p>${t.health.listsNever}</p>`
  if (plain.length === 0) return html`<p>${t.health.listsAll}</p>`
  const byReason = Map.groupBy(plain, ({ why }) => why)
  return html`<p>${t.health.listsPlain}</p>
    <dl class="reasons">
      ${Array.from(
        byReason,
        ([why, lists]) =>
          html`<dt>${lists.map(({ name }) => resourceName(name)).join(', ')}</dt>
            <dd>${t.health.why[why]}</dd> `,
      )}
    </dl>`
}

function changesCard({ changes_from: from }: Health): Html {
  if (from === undefined) return card(t.health.changes, '–', t.health.changesNone)
  if (from === null) return card(t.health.changes, t.health.changesAll, t.health.changesAllNote)
  return card(t.health.changes, t.health.changesFrom(day(new Date(from))), t.health.changesFromNote)
}

function copyCard({ age_seconds: age, problem, failing_since: since }: HealthOfCopy): Html {
  const value = age === null ? t.health.copyNone : t.health.copyAge(number(age))
  if (problem === null || since === null) return card(t.health.copy, value, '', age === null ? 'plain' : 'good')
  return card(t.health.copy, value, t.health.copyFails(seconds(new Date(since)), problem), 'bad')
}

function certificateCard({ certificate_ends_at: endsAt }: Health): Html {
  const end = new Date(endsAt)
  const days = Math.floor((end.getTime() - Date.now()) / dayMs)
  const left = t.health.certificateDays(days, number(Math.max(0, days)))
  if (days < 0)
    return card(t.health.certificate, t.health.certificateDays(0, number(0)), t.health.certificateOver(day(end)), 'bad')
  if (days < soonDays) return card(t.health.certificate, left, t.health.certificateSoon(day(end)), 'bad')
  return card(t.health.certificate, left, t.health.certificateEnds(day(end)), 'good')
}

async function countVolume(place: HTMLElement) {
  try {
    const { data } = await get<{ data: { name: string; total: number | null }[] }>('/api/volume')
    place.innerHTML = html`<div class="table">
      <table class="volume">
        <thead>
          <tr>
            <th scope="col">${t.health.resource}</th>
            <th scope="col" class="number">${t.health.records}</th>
          </tr>
        </thead>
        <tbody>
          ${data.map(
            ({ name, total }) =>
              html`<tr>
                <th scope="row">${resourceName(name)}</th>
                <td class="number">${total === null ? t.health.unknown : number(total)}</td>
              </tr> `,
          )}
        </tbody>
      </table>
    </div>`.text
  } catch (error) {
    place.innerHTML = html`<div class="faults" role="alert">
      ${sentencesOf(error).map((each) => html`<p>${each}</p>`)}
    </div>`.text
  }
}
