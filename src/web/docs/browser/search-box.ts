// The search box: results while typing; arrow keys choose one, Enter opens it, Escape closes the list.
import { element, one } from '../../page/browser/dom.ts'
import { html } from '../../page/browser/html.ts'
import { search, type SearchEntry, type SearchResult } from './search.ts'
import type { Texts } from './texts-en.ts'

// `here` returns the title of the current article.
export function startSearch(here: () => string, t: Texts): { forget(): void } {
  const [box, list] = [one('#search', HTMLInputElement), element('#found')]
  let entries: SearchEntry[] | undefined
  let found: SearchResult[] = []
  let chosen = 0

  const close = () => {
    list.hidden = true
    box.setAttribute('aria-expanded', 'false')
    box.removeAttribute('aria-activedescendant')
  }
  const choose = (at: number) => {
    chosen = at
    for (const [each, shown] of [...list.querySelectorAll('[role=option]')].entries()) {
      shown.setAttribute('aria-selected', String(each === at))
      if (each === at) shown.scrollIntoView({ block: 'nearest' })
    }
    if (found.length > 0) box.setAttribute('aria-activedescendant', `found-${at}`)
  }
  const show = () => {
    entries ??= readEntries()
    found = search(entries, box.value, here())
    if (box.value.trim() === '') return close()
    list.innerHTML = (
      found.length > 0 ? html`${found.map((each, at) => option(each, at, t))}` : html`<p>${t.nothingFound}</p>`
    ).text
    list.hidden = false
    box.setAttribute('aria-expanded', 'true')
    choose(0)
  }
  const go = (at: number) => {
    const entry = found[at]?.entry
    if (!entry) return
    close()
    box.value = ''
    box.blur()
    location.hash = entry.id
  }

  box.addEventListener('input', show)
  box.addEventListener('focus', () => box.value !== '' && show())
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      box.value = ''
      close()
      box.blur()
    } else if (event.key === 'Enter') go(chosen)
    else if (event.key === 'ArrowDown') choose((chosen + 1) % Math.max(1, found.length))
    else if (event.key === 'ArrowUp') choose((chosen - 1 + found.length) % Math.max(1, found.length))
    else return
    event.preventDefault()
  })
  // Before the box loses the focus.
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('click', (event) => {
    const clicked = event.target instanceof Element ? event.target.closest<HTMLElement>('[role=option]') : null
    if (clicked) go(Number(clicked.dataset['at']))
  })
  box.addEventListener('blur', close)
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, select, textarea')
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
    event.preventDefault()
    box.focus()
    box.select()
  })
  return { forget: () => (entries = undefined) }
}

const option = ({ entry: { title, kind, place, text }, others }: SearchResult, at: number, t: Texts) =>
  html`<div role="option" id="found-${at}" data-at="${at}">
    <span class="kind">${t.kinds[kind]}</span><strong>${title}</strong>
    ${place !== title && html`<span class="place">${place}${others > 0 && t.moreResources(others)}</span>`}
    ${isRow(kind) && html`<span class="excerpt">${text}</span>`}
  </div>`

const readEntries = (): SearchEntry[] =>
  [...document.querySelectorAll<HTMLElement>('main [data-find]')].map((found) => ({
    title: found.dataset['find'] ?? '',
    kind: found.dataset['kind'] ?? '',
    place: found.closest<HTMLElement>('article')?.dataset['find'] ?? '',
    id: found.id,
    // Sections are entries of their own.
    text: textOf(found),
  }))

// Rows of a table are short enough to be shown in full.
const isRow = (kind: string) => ['parameter', 'field', 'error'].includes(kind)

// Articles and operations are found by their parts, which are entries of their own.
const textOf = (found: Element): string => {
  const own = { ARTICLE: '.lead', TR: 'td:last-child' }[found.tagName]
  const place = found.matches('.operation') ? '.split > div > p' : own
  const text = (place === undefined ? found : found.querySelector(place))?.textContent ?? ''
  return text.replaceAll(/\s+/g, ' ').trim()
}
