// All keys, searched, filtered and sorted in the browser. Only one page is drawn, so thousands of keys are as quick as ten.
import { element, one } from '../../page/browser/dom.ts'
import { html, type Html } from '../../page/browser/html.ts'
import { get } from './ask.ts'
import type { KeyState, ListedKey } from './data.ts'
import { dayBegan, lastUse, readsShort, storesShort } from './key-words.ts'
import { language, number, t } from './language.ts'
import { badge, empty, pager, perPage } from './parts.ts'
import type { View } from './router.ts'

type Column = 'name' | 'last' | 'today'

interface Asked {
  search: string
  state: KeyState | 'all'
  column: Column
  isDown: boolean
  page: number
}

// Kept, so that the list is unchanged after a visit to a key.
const asked: Asked = { search: '', state: 'all', column: 'name', isDown: false, page: 0 }

// Without accents and capitals.
const plain = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

const orders: Readonly<Record<Column, (one: ListedKey, other: ListedKey) => number>> = {
  name: (one, other) => compareNames(one.name, other.name),
  last: (one, other) => Date.parse(one.last_used ?? '1970-01-01') - Date.parse(other.last_used ?? '1970-01-01'),
  today: (one, other) => one.requests_today - other.requests_today,
}

// One collator for all comparisons: `localeCompare` takes a second for five thousand names.
let collator = new Intl.Collator()
const compareNames = (one: string, other: string) => collator.compare(one, other)

function findKeys(all: readonly ListedKey[], { search, state, column, isDown }: Omit<Asked, 'page'>): ListedKey[] {
  const words = plain(search).split(/\s+/).filter(Boolean)
  const found = all.filter((key) => {
    if (state !== 'all' && key.state !== state) return false
    const text = plain(`${key.name} ${key.client_id}`)
    return words.every((word) => text.includes(word))
  })
  const order = orders[column]
  return found.toSorted((one, other) => (isDown ? -1 : 1) * order(one, other))
}

export async function keysListView(): Promise<View> {
  collator = new Intl.Collator(language === 'ht' ? 'fr' : language)
  const { data } = await get<{ data: ListedKey[] }>(`/api/keys?since=${dayBegan()}`)
  const create = html`<a class="button primary" href="#keys/new">${t.keys.create}</a>`
  const states = Object.entries(t.keys.states).map(
    ([name, text]) => html`<option value="${name}" ${name === asked.state && html`selected`}>${text}</option>`,
  )
  const toolbar = html`<div class="toolbar" role="search">
      <input
        type="search"
        id="find-key"
        aria-label="${t.keys.search}"
        placeholder="${t.keys.search}"
        value="${asked.search}"
        autocomplete="off"
        spellcheck="false"
      />
      <select id="key-state" aria-label="${t.keys.state}">
        ${states}
      </select>
      <span id="key-count" role="status"></span>
    </div>
    <div id="found-keys"></div>`
  return {
    title: t.keys.title,
    html: html`<div class="head">
        <h1>${t.keys.title}</h1>
        ${data.length > 0 && create}
      </div>
      <p class="lead">${t.keys.lead}</p>
      ${data.length === 0 ? empty(t.keys.empty, t.keys.emptyNote, create) : toolbar}`,
    ready: () => (data.length > 0 ? watch(data) : undefined),
  }
}

function watch(all: readonly ListedKey[]) {
  const [box, state] = [one('#find-key', HTMLInputElement), one('#key-state', HTMLSelectElement)]
  const list = element('#found-keys')
  const write = () => {
    const found = findKeys(all, asked)
    asked.page = Math.min(asked.page, Math.max(0, Math.ceil(found.length / perPage) - 1))
    element('#key-count').textContent = t.keys.count(found.length, number(found.length))
    list.innerHTML = (found.length === 0 ? nothing() : table(found)).text
  }
  const again = (change: Partial<Asked>) => {
    Object.assign(asked, { page: 0 }, change)
    write()
  }
  box.addEventListener('input', () => again({ search: box.value }))
  state.addEventListener('change', () => again({ state: state.value as Asked['state'] }))
  list.addEventListener('click', (event) => {
    const pressed = event.target instanceof Element ? event.target.closest('button') : null
    const column = pressed?.dataset['column'] as Column | undefined
    if (column) {
      again({ column, isDown: asked.column === column ? !asked.isDown : column !== 'name' })
      list.querySelector<HTMLElement>(`[data-column=${column}]`)?.focus()
    } else if (pressed?.matches('.turn')) {
      const isForward = Number(pressed.dataset['page']) > asked.page
      again({ page: Number(pressed.dataset['page']) })
      list.scrollIntoView({ block: 'start' })
      // Focuses the same button again, unless it is disabled now.
      const buttons = [...list.querySelectorAll<HTMLElement>('.pager button:not(:disabled)')]
      buttons.at(isForward ? -1 : 0)?.focus({ preventScroll: true })
    } else if (pressed?.matches('.show-all')) {
      box.value = ''
      state.value = 'all'
      again({ search: '', state: 'all' })
      box.focus()
    }
  })
  write()
}

const nothing = () =>
  empty(t.keys.nothing, t.keys.nothingNote, html`<button type="button" class="show-all">${t.keys.showAll}</button>`)

function table(found: readonly ListedKey[]): Html {
  const start = asked.page * perPage
  return html`<div class="table">
      <table class="cards">
        <thead>
          <tr>
            ${head('name')}
            <th scope="col">${t.keys.columns.state}</th>
            <th scope="col">${t.keys.columns.reads}</th>
            <th scope="col">${t.keys.columns.stores}</th>
            ${head('last')}${head('today')}
          </tr>
        </thead>
        <tbody>
          ${found.slice(start, start + perPage).map(row)}
        </tbody>
      </table>
    </div>
    ${pager(asked.page, found.length)}`
}

function head(column: Column): Html {
  const text = t.keys.columns[column]
  const order = asked.column !== column ? 'none' : asked.isDown ? 'descending' : 'ascending'
  return html`<th scope="col" aria-sort="${order}" class="${column === 'today' ? 'number' : ''}">
    <button type="button" class="sort" data-column="${column}" aria-label="${t.keys.sortBy(text)}">${text}</button>
  </th> `
}

// In the last thirty days of the key.
const soon = ({ days_left: left }: ListedKey): Html | false =>
  left !== null && html`<span class="soon">${t.keys.endsIn(left, number(left))}</span>`

const row = (key: ListedKey): Html =>
  html`<tr>
    <th scope="row">
      <a href="#keys/${encodeURIComponent(key.client_id)}">${key.name}</a><code class="id">${key.client_id}</code>
    </th>
    <td data-label="${t.keys.columns.state}"><span>${badge(key.state)}${soon(key)}</span></td>
    <td data-label="${t.keys.columns.reads}">${readsShort(key)}</td>
    <td data-label="${t.keys.columns.stores}">${storesShort(key)}</td>
    <td data-label="${t.keys.columns.last}">
      <span>${lastUse(key)}${key.last_address !== null && html`<code class="id">${key.last_address}</code>`}</span>
    </td>
    <td data-label="${t.keys.columns.today}" class="number">${number(key.requests_today)}</td>
  </tr> `
