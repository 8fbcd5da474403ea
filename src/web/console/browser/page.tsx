// The console's page: who is signed in, and the views.
import { render } from 'preact'
import { accountsView, accountView } from './accounts.tsx'
import { App } from './app.tsx'
import { keepProof, Refusal, whenSignedOut } from './ask.ts'
import { auditView } from './audit.tsx'
import { blocksView } from './blocks.tsx'
import { companyView } from './company.tsx'
import { healthView } from './health.tsx'
import { forgetCode } from './key-code.tsx'
import { keysView } from './keys.ts'
import { preferred, setLanguage, t } from './language.ts'
import { leaveView, problemView, show, shown, startRouter } from './router.tsx'
import { readSession, session } from './session.ts'
import { cancelSignIn, signInAgain, signInView } from './sign-in.tsx'
import { tell } from './told.ts'
import { usageView } from './usage.tsx'

// The code of the first start's link is in the fragment, which browsers do not send. Once used, it is removed from the address.
const linkIn = (address: string) => /^#link=([\w-]+)$/.exec(address)?.[1]
let link = linkIn(location.hash)

function forgetLink() {
  link = undefined
  if (linkIn(location.hash) !== undefined) history.replaceState(null, '', '#keys')
}

// `said`: why the session ended, shown on the sign-in page. If the page cannot start, it says why.
async function begin(said = ''): Promise<void> {
  try {
    const { signed_in: isSignedIn, has_password: hasPassword } = await readSession()
    // The link only sets the first password.
    if (hasPassword) forgetLink()
    if (isSignedIn) return await show()
    keepProof('')
    forgetCode()
    cancelSignIn()
    leaveView(signInView({ link, onLinkUsed: forgetLink, said, onDone: () => void begin() }))
  } catch (error) {
    leaveView(problemView(error, () => void begin()))
  }
}

async function start() {
  await setLanguage(preferred())
  whenSignedOut(async () => {
    if (!session.value.signed_in) throw new Refusal([])
    await signInAgain()
  })
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
addEventListener('signed-out-elsewhere', () => void begin(t.signIn.signedOut))
addEventListener('service-back', () => {
  tell(t.page.back_again)
  if (shown.value.draw().hasFailed) void begin()
})
// Without a session, the sign-in page stays. The link of the first start may be opened in a page that is already open.
addEventListener('hashchange', () => {
  if (session.value.signed_in || linkIn(location.hash) === undefined) return
  link = linkIn(location.hash)
  void begin()
})

void start()
