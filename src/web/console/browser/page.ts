// The console's page: its frame, who is signed in, and the views.
import { element, one, onEvery } from '../../page/browser/dom.ts'
import { accountView } from './account.ts'
import { ask, get, keepProof, Refusal, sentencesOf, whenLost, whenSignedOut } from './ask.ts'
import { auditView } from './audit.ts'
import { blocksView } from './blocks.ts'
import { companyView } from './company.ts'
import type { Session } from './data.ts'
import { writeFrame, writeFrameAnew } from './frame.ts'
import { healthView } from './health.ts'
import { forgetCode } from './key-code.ts'
import { keysView } from './keys.ts'
import { keepLanguage, preferred, t, useLanguage, type Language } from './language.ts'
import { problemHtml, startCopying, tell } from './parts.ts'
import { hasProblem, leaveView, show, startRouter } from './router.ts'
import { signInAgain, signInView } from './sign-in.ts'
import { nameOf, session, setSession } from './session.ts'
import { keepTyped } from './typed.ts'
import { useView } from './use.ts'

// The code of the first start's link is in the fragment, which browsers do not send. Once used, it is removed from the address.
const linkIn = (hash: string) => /^#link=([\w-]+)$/.exec(hash)?.[1]
let link = linkIn(location.hash)

function forgetLink() {
  link = undefined
  if (linkIn(location.hash) !== undefined) history.replaceState(null, '', '#keys')
}

// `said`: why the session ended, shown on the sign-in page.
async function begin(said = ''): Promise<void> {
  const found = await get<Session>('/api/session')
  setSession(found)
  writeFrame()
  // The link only sets the first password.
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
    if (!session().signed_in) throw new Refusal(401, [])
    await signInAgain(nameOf(session().by))
    // Another person may have signed in.
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
  beginOrSay()
}

// If the page cannot start, shows why; "try again" starts it again.
function beginOrSay(said?: string) {
  begin(said).catch((error: unknown) => {
    leaveView()
    element('#main').innerHTML = problemHtml(error).text
  })
}

addEventListener('signed-in', () => beginOrSay())
addEventListener('signed-out-elsewhere', () => beginOrSay(t.signIn.signedOut))
// Without a session, the sign-in page stays. The link of the first start may be opened in a page that is already open.
addEventListener('hashchange', () => {
  if (session().signed_in || linkIn(location.hash) === undefined) return
  link = linkIn(location.hash)
  beginOrSay()
})
addEventListener('signed-out', (event) => beginOrSay((event as CustomEvent<string>).detail))

onEvery('click', '.sign-out', () => void leave())
onEvery('click', '.try-again', () => session().signed_in || beginOrSay())

// Stops all refreshes first. An ended session does not ask for the password in order to sign out.
async function leave() {
  const before = session()
  leaveView()
  setSession({ ...before, signed_in: false })
  try {
    await ask('DELETE', '/api/session')
    beginOrSay(t.signIn.signedOut)
  } catch (error) {
    setSession(before)
    await show()
    tell(sentencesOf(error).join(' '))
  }
}

onEvery('change', '#language', () => {
  changeLanguage(one('#language', HTMLSelectElement).value as Language).catch((error: unknown) =>
    tell(sentencesOf(error).join(' ')),
  )
})
// A click on the current section refreshes it.
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

// Polls the service until it is back. Typed input is kept; a view that failed to load is then shown.
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
    if (hasProblem() || element('#main').textContent === '') beginOrSay()
  }
}

void start()
