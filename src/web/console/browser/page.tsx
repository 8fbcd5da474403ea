// The console's page: who is signed in, and the views.
import { render } from 'preact'
import { accountsView, accountView } from './accounts.tsx'
import { App } from './app.tsx'
import { keepProof, readSession, session, signingInAgain } from './ask.ts'
import { auditView } from './audit.tsx'
import { blocksView } from './blocks.tsx'
import { companyView } from './company.tsx'
import { healthView } from './health.tsx'
import { codeView, forgetCode } from './key-actions.tsx'
import { keyFormView } from './key-form.tsx'
import { keyPreviewView } from './key-preview.tsx'
import { keyPageView } from './key-page.tsx'
import { keysListView } from './keys-list.tsx'
import { preferred, setLanguage, t } from './language.ts'
import { showMessage } from './parts.tsx'
import { leaveView, problemView, show, shown, startRouter, type MakeView } from './router.tsx'
import { signInView } from './sign-in.tsx'
import { usageView } from './usage.tsx'

const keysView: MakeView = ({ subject, part, query }) => {
  if (subject === '') return keysListView()
  if (subject === 'new') return keyFormView(query.get('from'), true)
  if (part === 'edit') return keyFormView(subject, false)
  if (part === 'preview') return keyPreviewView(subject)
  if (part === 'code') return codeView(subject)
  return keyPageView(subject)
}

// The code of the first start's link is in the fragment, which browsers do not send.
const readLink = () => /^#link=([\w-]+)$/.exec(location.hash)?.[1]

// Shows the view of the address in a session, else the sign-in page with `said` (why the session ended).
async function begin(said = ''): Promise<void> {
  try {
    const { signed_in: isSignedIn, has_password: hasPassword } = await readSession()
    // The link only sets the first password.
    const isLinkOver = hasPassword && readLink() !== undefined
    if (isLinkOver) history.replaceState(null, '', '#keys')
    if (isSignedIn) return await show()
    keepProof('')
    forgetCode()
    // Requests that wait for a sign-in are given up.
    signingInAgain.peek()?.cancel()
    leaveView(signInView(readLink(), isLinkOver ? t.signIn.linkOver : said, () => void begin()))
  } catch (error) {
    leaveView(problemView(error, () => void begin()))
  }
}

async function start() {
  await setLanguage(preferred())
  startRouter({
    keys: keysView,
    usage: usageView,
    blocks: blocksView,
    audit: auditView,
    health: healthView,
    company: companyView,
    accounts: accountsView,
    account: accountView,
  })
  document.body.replaceChildren()
  render(<App />, document.body)
  await begin()
}

addEventListener('signed-out', (event) => void begin((event as CustomEvent<string>).detail))
addEventListener('service-back', () => {
  showMessage(t.page.back_again)
  if (shown.value.draw().hasFailed) void begin()
})
// Without a session, the sign-in page stays. The link of the first start may be opened in a page that is already open.
addEventListener('hashchange', () => {
  if (!session.value.signed_in && readLink() !== undefined) void begin()
})

void start()
