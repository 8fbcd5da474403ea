// The fragment of the address selects the view. A view is made, then shown; one that was left before it was ready is never
// shown. If a view fails, the page says why and offers to try again.
import { element } from '../../page/browser/dom.ts'
import { html, type Html } from '../../page/browser/html.ts'
import { t } from './language.ts'
import { empty, problemHtml } from './parts.ts'
import { session } from './session.ts'

export interface View {
  readonly title: string
  readonly html: Html
  // Called when the view is in the page; the returned function is called when it is left.
  ready?(main: HTMLElement): void | (() => void)
}

export type MakeView = (subject: string, part: string) => Promise<View> | View

let current = 0
let leave: (() => void) | undefined
let hasFailed = false
let views: Readonly<Record<string, MakeView>> = {}

export const go = (address: string) => {
  location.hash = address
}

export function startRouter(all: Readonly<Record<string, MakeView>>) {
  views = all
  addEventListener('hashchange', () => {
    // Cancels the open dialog of the view that is left.
    for (const dialog of document.querySelectorAll<HTMLDialogElement>('#ask[open]'))
      dialog.dispatchEvent(new Event('cancel', { cancelable: true }))
    if (location.hash !== '#main' && session().signed_in) void show(true)
  })
  document.addEventListener('click', (event) => {
    const isAsked = event.target instanceof Element && event.target.closest('.try-again') !== null
    if (isAsked && session().signed_in) void show()
  })
}

export const hasProblem = () => hasFailed

// Stops the timers of the view, for example at sign-out.
export function leaveView() {
  current += 1
  leave?.()
  leave = undefined
}

// The fragment may be typed by hand, with invalid escapes.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

// `isMove`: coming from another view, the heading gets the focus.
export async function show(isMove = false): Promise<void> {
  const own = (current += 1)
  const main = element('#main')
  const [section = '', subject = '', part = ''] = location.hash.slice(1).split('/').map(decoded)
  markCurrent(section || 'keys')
  main.setAttribute('aria-busy', 'true')
  const slow = setTimeout(() => {
    if (own === current) main.innerHTML = html`<p class="loading" role="status">${t.page.loading}</p>`.text
  }, 300)
  try {
    const make = Object.hasOwn(views, section || 'keys') ? views[section || 'keys'] : undefined
    const view = await (make ?? notFound)(subject, part)
    if (own === current) put(main, view, isMove)
  } catch (error) {
    if (own === current) put(main, { title: t.page.problem, html: problemHtml(error) }, isMove, true)
  } finally {
    clearTimeout(slow)
    if (own === current) main.removeAttribute('aria-busy')
  }
}

function put(main: HTMLElement, view: View, isMove: boolean, isProblem = false) {
  leave?.()
  hasFailed = isProblem
  document.title = `${view.title} – ${t.page.title}`
  main.innerHTML = view.html.text
  if (isMove) {
    const heading = main.querySelector<HTMLElement>('h1, h2')
    heading?.setAttribute('tabindex', '-1')
    heading?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }
  // The view may then move the focus.
  leave = view.ready?.(main) ?? undefined
}

const sectionOf = (hash: string) => hash.slice(1).split('/')[0] || 'keys'

export function markCurrent(section = sectionOf(location.hash)) {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('#navigation a'))
    if (link.hash === `#${section}`) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  const navigation = element('#navigation')
  if (navigation.matches(':popover-open')) navigation.hidePopover()
}

const notFound: MakeView = () => ({
  title: t.page.notFound,
  html: empty(t.page.notFound, t.page.notFoundNote),
})
