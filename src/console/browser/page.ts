// The console's page: its frame, who is signed in, and the views.
import { element, one, onEvery } from '../../page/browser/dom.ts'
import { html } from '../../page/browser/html.ts'
import { accountView } from './account.ts'
import { ask, get, keepProof, whenLost, whenSignedOut } from './ask.ts'
import { auditView } from './audit.ts'
import { blocksView } from './blocks.ts'
import { companyView } from './company.ts'
import type { Session } from './data.ts'
import { healthView } from './health.ts'
import { forgetCode } from './key-code.ts'
import { keysView } from './keys.ts'
import { keepLanguage, language, languages, preferred, t, useLanguage, type Language } from './language.ts'
import { startCopying, tell } from './parts.ts'
import { hasProblem, leaveView, show, startRouter } from './router.ts'
import { signInAgain, signInView } from './sign-in.ts'
import { session, setSession } from './session.ts'
import { keepTyped } from './typed.ts'
import { useView } from './use.ts'

// The code of the link of the first start comes in the fragment, which browsers do not send; once it is used, it is gone from
// the address.
const linkIn = (hash: string) => /^#link=([\w-]+)$/.exec(hash)?.[1]
let link = linkIn(location.hash)

function forgetLink() {
  link = undefined
  if (linkIn(location.hash) !== undefined) history.replaceState(null, '', '#keys')
}
const sections = ['keys', 'use', 'blocks', 'audit', 'health', 'company'] as const

function writeFrame() {
  const { signed_in: isSignedIn, by, enabled: isEnabled } = session()
  element('.skip').textContent = t.page.skip
  const [menu, navigation, tools] = [element('.menu'), element('#navigation'), element('.tools')]
  menu.textContent = t.page.menu
  navigation.setAttribute('aria-label', t.page.sections)
  navigation.innerHTML = html`<ul>
      ${sections.map((name) => html`<li><a href="#${name}">${t.nav[name]}</a></li> `)}
    </ul>
    <ul class="own">
      <li><a href="#account">${t.page.account}</a></li>
      <li><button type="button" class="sign-out">${t.page.signOut}</button></li>
    </ul>`.text
  const options = Object.entries(languages).map(
    ([code, name]) =>
      html`<option value="${code}" lang="${code}" ${code === language && html`selected`}>${name}</option>`,
  )
  tools.innerHTML = html`<label class="language"
      ><span class="unseen">${t.page.language}</span
      ><select id="language">
        ${options}
      </select></label
    >
    ${
      isSignedIn &&
      html`<a class="who" href="#account" title="${t.page.account}">${nameOf(by)}</a>
        <button type="button" class="sign-out">${t.page.signOut}</button>`
    }`.text
  for (const part of [menu, navigation]) part.hidden = !isSignedIn
  tools.hidden = false
  const off = element('#off')
  off.hidden = !isSignedIn || isEnabled !== false
  off.innerHTML = html`${t.company.off}. <a href="#company">${t.nav.company}</a>`.text
}

async function writeFrameAnew() {
  setSession(await get<Session>('/api/session'))
  writeFrame()
}

export const nameOf = (by: string | null) => (by ?? '').replace(/, console$/, '')

// `said` is what has just happened, for whoever is signed out by it.
async function begin(said = ''): Promise<void> {
  const found = await get<Session>('/api/session')
  setSession(found)
  writeFrame()
  // Once there is a password, a link sets none.
  if (found.has_password) forgetLink()
  document.body.classList.toggle('outside', !found.signed_in)
  if (found.signed_in) return show()
  keepProof('')
  forgetCode()
  leaveView()
  const view = signInView(found, link, forgetLink, said)
  document.title = `${view.title} – ${t.page.title}`
  const main = element('#main')
  main.innerHTML = view.html.text
  view.ready?.(main)
}

async function start() {
  await useLanguage(preferred())
  whenSignedOut(async () => {
    await signInAgain(nameOf(session().by))
    // Perhaps it is somebody else now.
    await writeFrameAnew()
  })
  whenLost(waitForService)
  startCopying()
  startRouter({
    keys: keysView,
    use: useView,
    blocks: blocksView,
    audit: auditView,
    health: healthView,
    company: companyView,
    account: accountView,
  })
  element('#main').textContent = ''
  await begin().catch(() => {})
}

addEventListener('signed-in', () => void begin())
// Whoever is not signed in stays where one signs in; the link of the first start may come into a page that is open.
addEventListener('hashchange', () => {
  if (session().signed_in || linkIn(location.hash) === undefined) return
  link = linkIn(location.hash)
  void begin()
})
addEventListener('signed-out', (event) => void begin((event as CustomEvent<string>).detail))

onEvery('click', '.sign-out', () => {
  void ask('DELETE', '/api/session')
    .then(() => begin(t.signIn.signedOut))
    .catch(() => {})
})
onEvery('change', '#language', () => void changeLanguage(one('#language', HTMLSelectElement).value as Language))
// Where one is already, a click looks again.
onEvery('click', '#navigation a', (chosen) => {
  if (chosen instanceof HTMLAnchorElement && chosen.hash === location.hash) void show()
})
addEventListener('subscription', () => void writeFrameAnew())
onEvery('click', '.skip', (_link, event) => {
  event.preventDefault()
  element('#main').focus()
})

async function changeLanguage(next: Language) {
  await useLanguage(next)
  keepLanguage(next)
  const putBack = keepTyped(element('#main'))
  await begin()
  putBack(element('#main'))
  one('#language', HTMLSelectElement).focus()
}

// Looks for the service until it is back. What is typed stays; a view that could not be shown is shown then.
let isWaiting = false
const lookEveryMs = 2000
function waitForService() {
  const lost = element('#lost')
  lost.textContent = t.page.lost
  lost.hidden = false
  if (isWaiting) return
  isWaiting = true
  const timer = setInterval(() => void look(), lookEveryMs)
  const look = async () => {
    const isThere = await fetch('/api/session', { cache: 'no-store' }).then(
      () => true,
      () => false,
    )
    if (!isThere || !isWaiting) return
    clearInterval(timer)
    isWaiting = false
    lost.hidden = true
    tell(t.page.back_again)
    if (hasProblem() || element('#main').textContent === '') await begin()
  }
}

void start()
