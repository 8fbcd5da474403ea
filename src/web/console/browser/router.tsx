// The fragment of the address selects the view and holds its search, filters, sort and page. A view is made, then shown; one that
// was left before it was ready is never shown. If a view fails, the page says why and offers to try again.
import { batch, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { cancelQuestion } from './dialog.tsx'
import { t } from './language.ts'
import { isWarned, mayLeave, release } from './leaving.ts'
import { Problem } from './parts.tsx'
import { session } from './session.ts'
import { tell, told } from './told.ts'

// Texts are functions, because the language may change.
export interface View {
  readonly title: () => string
  readonly lead?: () => string
  // The link above the heading.
  readonly back?: () => readonly [href: string, text: string]
  // What stands beside the heading.
  readonly beside?: ComponentChildren
  readonly body?: ComponentChildren
  readonly hasFailed?: true
}

export interface Route {
  readonly section: string
  readonly subject: string
  readonly part: string
  readonly query: URLSearchParams
  // Refreshed by the page itself: this does not keep a session alive.
  readonly isUnasked: boolean
}

export type MakeView = (route: Route) => Promise<View> | View

let views: Readonly<Record<string, MakeView>> = {}
let current = 0
let saidNext = ''

// `moves` counts changes of the address: then the heading gets the focus.
const nothing: View = { title: () => '' }
export const shown = signal<View & { path: string; moves: number }>({ ...nothing, path: '', moves: 0 })
export const busy = signal<'no' | 'yes' | 'long'>('no')
// The address of the view that is shown, and the one that was last asked for, which may still be loading.
export const hash = signal(location.hash)
export const askedHash = signal(location.hash)

// The fragment may be typed by hand, with invalid escapes.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

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

// `said` is told once the view is there.
export function go(address: string, said = '') {
  release()
  saidNext = said
  if (location.hash === address) void show()
  else location.hash = address
}

export function startRouter(all: Readonly<Record<string, MakeView>>) {
  views = all
  addEventListener('hashchange', () => void move())
  document.addEventListener('click', (event) => void follow(event))
}

// A link is asked about before it is followed, so that the history does not grow.
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
  const isSame = pathOf(target) === pathOf(askedHash.value)
  if (!isSame && !(await mayLeave())) return
  history.replaceState(null, '', target)
  await show(isSame ? 'again' : 'move')
}

// Stops what the view is doing, for example at sign-out.
export function leaveView(next = nothing) {
  current += 1
  release()
  cancelQuestion()
  busy.value = 'no'
  shown.value = { ...next, path: 'outside', moves: shown.value.moves }
}

const notFound: MakeView = () => ({ title: () => t.page.notFound, lead: () => t.page.notFoundNote })

export const problemView = (error: unknown, onAgain: () => void): View => ({
  title: () => t.page.problem,
  body: <Problem error={error} onAgain={onAgain} />,
  hasFailed: true,
})

async function make(route: Route): Promise<View> {
  try {
    const found = Object.hasOwn(views, route.section) ? views[route.section] : undefined
    return await (found ?? notFound)(route)
  } catch (error) {
    return problemView(error, () => void show())
  }
}

const slowMs = 300

export async function show(how: 'move' | 'again' | 'unasked' = 'again'): Promise<void> {
  const own = (current += 1)
  const address = (askedHash.value = location.hash)
  const path = pathOf(address)
  busy.value = 'yes'
  const slow = setTimeout(() => {
    if (own === current && path !== shown.value.path) busy.value = 'long'
  }, slowMs)
  const view = await make(readRoute(address, how === 'unasked'))
  clearTimeout(slow)
  if (own !== current) return
  // A refresh that fails leaves what is there; a banner says that the service is lost.
  const isKept = how === 'unasked' && view.hasFailed
  batch(() => {
    busy.value = 'no'
    hash.value = address
    if (!isKept) shown.value = { ...view, path, moves: shown.value.moves + (how === 'move' ? 1 : 0) }
    if (how === 'move') told.value = ''
  })
  if (saidNext !== '') tell(saidNext)
  saidNext = ''
}

// Reads the data of the view again; what is typed and focused stays. If the focused button is gone, the heading gets the focus.
export async function reload(said = ''): Promise<void> {
  await show()
  if (said !== '') tell(said)
  setTimeout(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('#main h1')?.focus()
  })
}

// Reads the data of the view again by itself while the view is open and can be seen.
export function useRefresh(ms: number) {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || void show('unasked'), ms)
    return () => clearInterval(timer)
  }, [ms])
}
