// Entries of the history as people read them: what was done, by whom, to what, and what changed.
import { html, type Html } from '../../page/browser/html.ts'
import type { Entry } from './data.ts'
import { dayOf } from './key-words.ts'
import { listed, moment, number, t } from './language.ts'
import { asText, permissionName } from './parts.ts'
import { nameOf } from './session.ts'

export const actName = (act: string): string => (t.acts as Readonly<Record<string, string>>)[act] ?? act

export const byName = (by: string): string => {
  if (by === 'the service') return t.audit.service
  if (by === 'the link of the first start') return t.audit.firstLink
  const user = /^(.*), command line$/s.exec(by)?.[1]
  return user === undefined ? nameOf(by) : t.audit.commandLine(user)
}

function subjectHtml({ act, subject, name }: Entry): Html | string {
  if (act === 'more callers blocked') return t.audit.severalAddresses
  if (subject === '') return act.startsWith('subscription') ? t.audit.company : t.audit.console
  if (name === null) return html`<code>${subject}</code>`
  return html`<a href="#keys/${encodeURIComponent(subject)}">${name}</a>`
}

const names = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

function valueText(field: string, value: unknown): string {
  if (field === 'permissions') return listed(names(value).map(permissionName)) || t.page.none
  if (field === 'stores') return value === null ? t.keys.allStores : names(value).join(', ') || t.keys.noStore
  if (field === 'price_list' && value === null) return t.page.all
  if (field === 'scope') return (t.audit.scopes as Readonly<Record<string, string>>)[asText(value)] ?? asText(value)
  if (field === 'expires') return value === null ? t.key.noLastDay : dayOf(asText(value))
  if (field === 'addresses') return value === null ? t.key.anywhere : names(value).join(', ')
  if (field === 'until') return moment(asText(value))
  if (field === 'client_id')
    return value === 'console' ? t.audit.console : value === null ? t.blocks.ofUnknown : asText(value)
  if (typeof value === 'boolean') return value ? t.page.yes : t.page.no
  return typeof value === 'number' ? number(value) : asText(value)
}

function changeText(field: string, from: unknown, to: unknown): string {
  if (field !== 'permissions') return `${valueText(field, from)} → ${valueText(field, to)}`
  const [before, after] = [names(from), names(to)]
  const [added, removed] = [
    after.filter((each) => !before.includes(each)),
    before.filter((each) => !after.includes(each)),
  ]
  return [
    ...(added.length > 0 ? [t.audit.added(listed(added.map(permissionName)))] : []),
    ...(removed.length > 0 ? [t.audit.removed(listed(removed.map(permissionName)))] : []),
  ].join('; ')
}

const fieldName = (field: string): string => (t.audit.fields as Readonly<Record<string, string>>)[field] ?? field

function moreBlockedText({ blocks, addresses, more_addresses: isMore }: Entry['details']): string {
  return t.audit.moreBlocked(number(Number(blocks)), number(Number(addresses)) + (isMore ? '+' : ''))
}

function detailsHtml({ act, details }: Entry): Html {
  if (act === 'more callers blocked') return html`${moreBlockedText(details)}`
  // A new key is never paused.
  const shown = Object.entries(details).filter(([field]) => act !== 'key created' || field !== 'disabled')
  const lines = shown.map(([field, value]) => {
    const change =
      act === 'key changed' || act === 'account changed' ? (value as { from: unknown; to: unknown }) : undefined
    const text = change ? changeText(field, change.from, change.to) : valueText(field, value)
    return html`<li><span class="field">${fieldName(field)}</span> ${text}</li> `
  })
  return lines.length === 0
    ? html`<span class="nothing">–</span>`
    : html`<ul class="plain">
        ${lines}
      </ul>`
}

export const entryRow = (entry: Entry, hasSubject: boolean): Html =>
  html`<tr>
    <td data-label="${t.audit.when}">${moment(entry.at)}</td>
    <td data-label="${t.audit.what}">${actName(entry.act)}</td>
    ${hasSubject && html`<td data-label="${t.audit.subject}">${subjectHtml(entry)}</td>`}
    <td data-label="${t.audit.who}">${byName(entry.by)}</td>
    <td data-label="${t.audit.details}" class="details">${detailsHtml(entry)}</td>
  </tr> `

export const entriesHtml = (entries: readonly Entry[], hasSubject: boolean): Html =>
  html`<div class="table">
    <table class="cards history">
      <thead>
        <tr>
          <th scope="col">${t.audit.when}</th>
          <th scope="col">${t.audit.what}</th>
          ${hasSubject && html`<th scope="col">${t.audit.subject}</th>`}
          <th scope="col">${t.audit.who}</th>
          <th scope="col">${t.audit.details}</th>
        </tr>
      </thead>
      <tbody>
        ${entries.map((entry) => entryRow(entry, hasSubject))}
      </tbody>
    </table>
  </div>`
