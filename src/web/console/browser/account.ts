// The account view: change the password, end all sessions.
import { one } from '../../page/browser/dom.ts'
import { html } from '../../page/browser/html.ts'
import { ask } from './ask.ts'
import { confirm } from './dialog.ts'
import { t } from './language.ts'
import type { View } from './router.ts'
import { nameOf, session, signedOut } from './session.ts'
import { chosenInputs, currentInput, Differ, foot, handle, setPassword } from './sign-in.ts'

export const accountView = (): View => ({
  title: t.account.title,
  html: html`<h1>${t.account.title}</h1>
    <p class="lead">${t.account.as} <strong>${nameOf(session().by)}</strong>.</p>
    <h2>${t.account.password}</h2>
    <p>${t.account.passwordNote}</p>
    <form class="narrow-form" novalidate>${currentInput()}${chosenInputs()}${foot(t.account.change)}</form>
    <h2>${t.account.sessions}</h2>
    <p>${t.account.sessionsNote}</p>
    <p><button type="button" id="everywhere">${t.account.everywhere}</button></p>`,
  ready(main) {
    handle(one('form', HTMLFormElement, main), async ({ current, chosen, repeat }) => {
      if (chosen !== repeat) throw new Differ()
      await setPassword({ current, password: chosen })
      signedOut(t.signIn.passwordSet)
    })
    one('#everywhere', HTMLButtonElement, main).addEventListener('click', () => void everywhere())
  },
})

async function everywhere() {
  const isDone = await confirm({
    title: t.account.everywhereTitle,
    means: [t.account.everywhereMeans],
    action: t.account.everywhere,
    isGrave: true,
    work: () => ask('DELETE', '/api/sessions'),
  })
  if (isDone) signedOut(t.signIn.everybodyOut)
}
