// The fragment of the address selects the view and holds its search, filters, sort and page. A view is loaded, then shown; if
// the user moves on meanwhile, it is dropped. If loading fails, the page says why and offers to try again.
import { batch, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { session } from './ask.ts'
import { cancelQuestion, isWarned, mayLeave, release } from './dialog.tsx'
import { t } from './language.ts'
import { decoded } from '../../page/browser/typed.ts'
import { Problem, message, showMessage } from './parts.tsx'

interface View {
  readonly title: string
  readonly lead?: string
  // The link above the heading.
  readonly back?: readonly [href: string, text: string]
  // Shown beside the heading.
  readonly beside?: ComponentChildren
  readonly body?: ComponentChildren
  // How often the page reads the data again.
  readonly refreshMs?: number
  readonly hasFailed?: true
}

// Called each time the view is drawn, because the language may change.
export type Draw = () => View

export interface Route {
  readonly section: string
  readonly subject: string
  readonly part: string
  readonly query: URLSearchParams
  // An automatic refresh: it does not keep a session alive.
  readonly isUnasked: boolean
}

export type MakeView = (route: Route) => Promise<Draw> | Draw

let views: Readonly<Record<string, MakeView>> = {}
let current = 0

// `moves` counts changes of the address: each gives the heading the focus.
const nothing: Draw = () => ({ title: '' })
export const shown = signal({ draw: nothing, path: '', moves: 0 })
export const busy = signal<'no' | 'yes' | 'long'>('no')
// The address of the view on the screen, and the address asked for last, whose view may still be loading.
export const hash = signal(location.hash)
export const askedHash = signal(location.hash)

const pathOf = (address: string) => address.replace(/^#/, '').split('?')[0] || 'keys'
export const sectionOf = (address: string) => pathOf(address).split('/')[0] ?? ''

function readRoute(address: string, isUnasked: boolean): Route {
  const [section = '', subject = '', part = ''] = pathOf(address).split('/').map(decoded)
  return { section, subject, part, query: readQuery(address), isUnasked }
}

const readQuery = (address: string) => new URLSearchParams(address.split('?')[1] ?? '')

// The values of an address, as components read them. '' removes a value.
export const useQuery = (): URLSearchParams => readQuery(hash.value)
export function addressWith(change: Readonly<Record<string, string>>): string {
  const query = readQuery(hash.value)
  for (const [name, value] of Object.entries(change))
    if (value === '') query.delete(name)
    else query.set(name, value)
  query.sort()
  return `#${pathOf(hash.value)}${query.size === 0 ? '' : `?${query}`}`
}

// Changes the address without a new entry in the history, and draws again from the same data.
export function setQuery(change: Readonly<Record<string, string>>) {
  history.replaceState(null, '', addressWith(change))
  askedHash.value = hash.value = location.hash
}

// Shows the message when the view is on the screen.
export async function go(address: string, text = ''): Promise<void> {
  release()
  if (location.hash !== address) history.pushState(null, '', address)
  await show()
  if (text !== '') showMessage(text)
}

export function startRouter(all: Readonly<Record<string, MakeView>>) {
  views = all
  addEventListener('hashchange', () => void move())
  document.addEventListener('click', (event) => void follow(event))
}

// Asks before it follows a link, so that a cancelled step leaves no entry in the history.
async function follow(event: MouseEvent) {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href^="#"]') : null
  if (!link || link.target !== '' || event.defaultPrevented || event.ctrlKey || event.metaKey || !isWarned()) return
  event.preventDefault()
  if (await mayLeave()) location.hash = link.hash
}

async function move() {
  const target = location.hash
  if (!session.value.signed_in || target === askedHash.value) return
  // The address has changed already: it is put back while the question is asked.
  history.replaceState(null, '', askedHash.value || '#keys')
  cancelQuestion()
  if (pathOf(target) !== pathOf(askedHash.value) && !(await mayLeave())) return
  history.replaceState(null, '', target)
  await show()
}

// Stops what the view is doing, for example at sign-out.
export function leaveView(draw = nothing) {
  current += 1
  release()
  cancelQuestion()
  busy.value = 'no'
  shown.value = { draw, path: 'outside', moves: shown.value.moves }
}

const notFound: Draw = () => ({ title: t.page.notFound, lead: t.page.notFoundNote })

export const problemView =
  (error: unknown, onAgain: () => void): Draw =>
  () => ({ title: t.page.problem, body: <Problem error={error} onAgain={onAgain} />, hasFailed: true })

async function make(route: Route): Promise<Draw> {
  try {
    const found = Object.hasOwn(views, route.section) ? views[route.section] : undefined
    return (await found?.(route)) ?? notFound
  } catch (error) {
    return problemView(error, () => void show())
  }
}

const slowMs = 300

// Makes and shows the view of the address.
export async function show(isUnasked = false): Promise<void> {
  const own = (current += 1)
  const address = location.hash
  const path = pathOf(address)
  const isMove = path !== pathOf(askedHash.value)
  askedHash.value = address
  busy.value = 'yes'
  const slow = setTimeout(() => {
    if (own === current && path !== shown.value.path) busy.value = 'long'
  }, slowMs)
  const draw = await make(readRoute(address, isUnasked))
  clearTimeout(slow)
  if (own !== current) return
  // A refresh that fails leaves what is there; a banner says that the service is lost.
  const isKept = isUnasked && draw().hasFailed
  batch(() => {
    busy.value = 'no'
    hash.value = address
    if (!isKept) shown.value = { draw, path, moves: shown.value.moves + (isMove ? 1 : 0) }
    if (isMove) message.value = ''
  })
}

// Reads the data of the view again, then shows the message. Input and focus stay; if the focused button is gone, the heading gets the
// focus.
export async function reload(text: string): Promise<void> {
  await show()
  showMessage(text)
  setTimeout(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('#main h1')?.focus()
  })
}
