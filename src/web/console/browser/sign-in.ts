// Sign-in: on arrival, with the link of the first start, and again when a session has ended.
import { one } from '../../page/browser/dom.ts'
import { html, type Html } from '../../page/browser/html.ts'
import { ask, get, keepProof, Refusal, sentencesOf } from './ask.ts'
import type { Session } from './data.ts'
import { keep, readKept } from './kept.ts'
import { t } from './language.ts'
import { asText, atWork } from './parts.ts'
import type { View } from './router.ts'

const longestName = 60

// `place`: a prefix for the id, because another form may be behind this one.
const input = (name: string, label: string, rest: Html, note = '', place = ''): Html =>
  html`<p class="input">
    <label for="${place}${name}">${label}</label
    ><input
      id="${place}${name}"
      name="${name}"
      required
      ${rest}
      ${note !== '' && html`aria-describedby="${place}${name}-note"`}
    />
    ${note !== '' && html`<span class="note" id="${place}${name}-note">${note}</span>`}
  </p>`

const nameInput = (by: string, place = '') =>
  input(
    'name',
    t.signIn.name,
    html`type="text" maxlength="${longestName}" autocomplete="name" value="${by}"`,
    t.signIn.nameNote,
    place,
  )
const passwordInput = (place = '') =>
  input('password', t.signIn.password, html`type="password" autocomplete="current-password"`, '', place)
export const chosenInputs = () =>
  html`${input('chosen', t.signIn.chosen, html`type="password" autocomplete="new-password"`, t.signIn.chosenNote)}
  ${input('repeat', t.signIn.repeat, html`type="password" autocomplete="new-password"`)}`

export const foot = (action: string): Html =>
  html`<div class="faults" role="alert"></div>
    <p class="buttons"><button type="submit" class="primary">${action}</button></p>`

// `said`: a message about what has just happened.
export function signInView(
  { has_password: hasPassword }: Session,
  link: string | undefined,
  onLinkUsed: () => void,
  said = '',
): View {
  const isFirst = link !== undefined
  const [title, lead] = isFirst ? [t.signIn.first, t.signIn.firstLead] : [t.signIn.title, t.signIn.lead]
  const head = html`<h1>${title}</h1>
    ${said !== '' && html`<p class="said" role="status">${said}</p>`}
    <p class="lead">${lead}</p>`
  const form = isFirst
    ? html`<form novalidate>${nameInput('')}${chosenInputs()}${foot(t.signIn.setAndGo)}</form>`
    : html`<form novalidate>${nameInput('')}${passwordInput()}${foot(t.signIn.submit)}</form>`
  const none = html`<div class="empty">
    <h2>${t.signIn.noPassword}</h2>
    <p>${t.signIn.noPasswordNote}</p>
    <pre tabindex="0"><code>vitrine admin password</code></pre>
  </div>`
  return {
    title,
    html: html`<section class="sign-in">${head}${isFirst || hasPassword ? form : none}</section>`,
    ready(main) {
      const found = main.querySelector('form')
      if (!found) return
      found.querySelector('input')?.focus()
      let isSet = !isFirst
      handle(found, async (values) => {
        // Checked before the link is used up: sign-in needs a name.
        if (!isSet && values['name']?.trim() === '') throw nameMissing()
        if (!isSet) await setFirst(link ?? '', values)
        isSet = true
        onLinkUsed()
        await signIn(values['name'] ?? '', values[isFirst ? 'chosen' : 'password'] ?? '')
        dispatchEvent(new Event('signed-in'))
      })
    },
  }
}

type Values = Readonly<Record<string, string>>

export function handle(form: HTMLFormElement, work: (values: Values) => Promise<void>) {
  const [button, faults] = [one('[type=submit]', HTMLButtonElement, form), one('.faults', HTMLElement, form)]
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void attempt()
  })
  async function attempt() {
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, asText(value)]))
    faults.textContent = ''
    try {
      await atWork(button, () => work(values))
    } catch (error) {
      const sentences = error instanceof Differ ? [t.signIn.differ] : sentencesOf(error)
      faults.innerHTML = html`${sentences.map((sentence) => html`<p>${sentence}</p>`)}`.text
      const isNameAlone =
        error instanceof Refusal && error.faults.every(({ code }) => /^(who_missing|account_name_invalid)$/.test(code))
      form.querySelector<HTMLInputElement>(isNameAlone ? '[name=name]' : '[type=password]')?.focus()
    }
  }
}

const nameMissing = () => new Refusal(400, [{ code: 'who_missing', values: { most: longestName }, sentence: '' }])

export class Differ extends Error {}

async function setFirst(link: string, values: Values) {
  if (values['chosen'] !== values['repeat']) throw new Differ()
  await setPassword({ link, name: values['name'], password: values['chosen'] })
}

// The service recognises this browser by it, so that other people's wrong guesses do not make it wait.
const kept = 'browser'

export async function setPassword(body: object) {
  const { browser } = await ask<{ browser: string }>('POST', '/api/password', body)
  keep(kept, browser)
}

async function signIn(name: string, password: string) {
  const body = { name, password, browser: readKept(kept) }
  const { proof, browser } = await ask<{ proof: string; browser: string }>('POST', '/api/session', body)
  keep(kept, browser)
  keepProof(proof)
}

export const currentInput = () =>
  input('current', t.account.current, html`type="password" autocomplete="current-password"`)

// Shown over the current view, which is kept. All refused requests wait for the same sign-in.
let signingIn: Promise<void> | undefined
export function signInAgain(by: string): Promise<void> {
  signingIn ??= askAgain(by).finally(() => (signingIn = undefined))
  return signingIn
}

const stay = (event: Event) => event.preventDefault()

async function askAgain(by: string): Promise<void> {
  const { has_password: hasPassword } = await get<Session>('/api/session')
  // Without a password, sign-in is impossible: reload the page.
  if (!hasPassword) location.reload()
  const dialog = one('#again', HTMLDialogElement)
  dialog.innerHTML = html`<form novalidate>
    <h2 id="again-title">${t.signIn.expired}</h2>
    <p>${t.signIn.expiredLead}</p>
    ${nameInput(by, 'again-')}${passwordInput('again-')}${foot(t.signIn.submit)}
  </form>`.text
  // It is not left by Escape: behind it nothing works.
  dialog.addEventListener('cancel', stay)
  dialog.showModal()
  dialog.querySelector<HTMLInputElement>(by === '' ? '#again-name' : '#again-password')?.focus()
  await new Promise<void>((resolve) => {
    handle(one('form', HTMLFormElement, dialog), async (values) => {
      await signIn(values['name'] ?? '', values['password'] ?? '')
      resolve()
    })
    // Signed in in another tab.
    addEventListener('signed-in-elsewhere', () => resolve(), { once: true })
  })
  dialog.removeEventListener('cancel', stay)
  dialog.close()
  dialog.innerHTML = ''
}
