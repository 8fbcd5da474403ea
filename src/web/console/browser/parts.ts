// Parts of every view: problems, empty lists, badges, text to copy, and busy buttons.
import { html, type Html } from '../../page/browser/html.ts'
import { onEvery } from '../../page/browser/dom.ts'
import { sentencesOf } from './ask.ts'
import type { KeyState } from './data.ts'
import { number, t } from './language.ts'

const disabled = html`disabled`

export const empty = (title: string, note: string, action: Html | false = false): Html =>
  html`<div class="empty">
    <h2>${title}</h2>
    <p>${note}</p>
    ${action && html`<p>${action}</p>`}
  </div>`

export const problemHtml = (error: unknown): Html =>
  html`<div class="problem-box" role="alert">
    <h2>${t.page.problem}</h2>
    ${sentencesOf(error).map((sentence) => html`<p>${sentence}</p>`)}
    <p><button type="button" class="try-again">${t.page.again}</button></p>
  </div>`

export const badge = (state: KeyState): Html => html`<span class="badge ${state}">${t.keys.stateOf[state]}</span>`

export const fact = (name: string, value: Html | string): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div> `

export const permissionName = (name: string): string =>
  (t.permissions as Readonly<Record<string, readonly string[]>>)[name]?.[0] ?? name
export const permissionNote = (name: string): string =>
  (t.permissions as Readonly<Record<string, readonly string[]>>)[name]?.[1] ?? ''
export const resourceName = (name: string): string => (t.resources as Readonly<Record<string, string>>)[name] ?? name

export const copyable = (label: string, text: string, kind = ''): Html =>
  html`<div class="copyable ${kind}">
    <p class="label">${label}</p>
    <div class="copy-row">
      <code>${text}</code
      ><button type="button" class="copy" aria-label="${t.page.copyOf(label)}">${t.page.copy}</button>
    </div>
  </div>`

export function startCopying() {
  onEvery('click', '.copy', (button) => void copy(button))
}

async function copy(button: HTMLElement) {
  const code = button.parentElement?.querySelector('code')
  if (!code) return
  try {
    await navigator.clipboard.writeText(code.textContent ?? '')
    tell(t.page.copied)
    button.textContent = t.page.copied
    setTimeout(() => (button.textContent = t.page.copy), 2000)
  } catch {
    getSelection()?.selectAllChildren(code)
  }
}

// A value of a form or an answer as text.
export const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)

// A short message at the foot of the page, which screen readers announce.
let hiding: ReturnType<typeof setTimeout> | undefined
export function tell(text: string) {
  const told = document.querySelector('#told')
  if (!told) return
  told.textContent = text
  told.classList.add('shown')
  clearTimeout(hiding)
  hiding = setTimeout(() => told.classList.remove('shown'), 5000)
}

// Disables the button while its action runs, and shows that it is busy.
export async function atWork<Result>(button: HTMLButtonElement, work: () => Promise<Result>): Promise<Result> {
  const text = button.textContent
  button.disabled = true
  button.classList.add('at-work')
  button.textContent = t.page.working
  try {
    return await work()
  } finally {
    button.disabled = false
    button.classList.remove('at-work')
    button.textContent = text
    // A disabled button has lost the focus.
    if (document.activeElement === document.body) button.focus()
  }
}

// The pager of a long list: the shown range, and buttons to the other pages.
export const perPage = 50
export function pager(page: number, count: number): Html | false {
  if (count <= perPage) return false
  const [from, to] = [page * perPage + 1, Math.min(count, (page + 1) * perPage)]
  return html`<nav class="pager" aria-label="${t.page.shown(number(from), number(to), number(count))}">
    <button type="button" class="turn" data-page="${page - 1}" ${page === 0 && disabled}>${t.page.previous}</button>
    <span>${t.page.shown(number(from), number(to), number(count))}</span>
    <button type="button" class="turn" data-page="${page + 1}" ${to === count && disabled}>${t.page.next}</button>
  </nav>`
}
