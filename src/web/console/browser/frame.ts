// The frame around every view: the sections, the language, who is signed in, and that the subscription is off.
import { element } from '../../page/browser/dom.ts'
import { html } from '../../page/browser/html.ts'
import { get } from './ask.ts'
import type { Session } from './data.ts'
import { language, languages, t } from './language.ts'
import { markCurrent } from './router.ts'
import { nameOf, session, setSession } from './session.ts'

const sections = ['keys', 'use', 'blocks', 'audit', 'health', 'company'] as const

export function writeFrame() {
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
  markCurrent()
}

export async function writeFrameAnew() {
  setSession(await get<Session>('/api/session'))
  writeFrame()
}
