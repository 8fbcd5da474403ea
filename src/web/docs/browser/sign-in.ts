// The sign-in dialog. Code that needs a token opens it and is called back when there is one.
import { element, one, onEvery } from '../../page/browser/dom.ts'
import { onSession, session, signIn, signOut } from './session.ts'
import type { Texts } from './texts-en.ts'

export function startSignIn(basePath: string, t: Texts): (then?: () => void) => void {
  const dialog = one('#sign-in', HTMLDialogElement)
  const [key, code] = [one('#access-key', HTMLInputElement), one('#security-code', HTMLInputElement)]
  const [problem, submit] = [element('#sign-in-problem'), one('[type=submit]', HTMLButtonElement, dialog)]
  let afterwards: (() => void) | undefined

  const open = (then?: () => void) => {
    afterwards = then
    problem.textContent = ''
    dialog.showModal()
    ;(key.value === '' ? key : code).focus()
  }

  element('form', dialog).addEventListener('submit', (event) => {
    event.preventDefault()
    void attempt()
  })

  async function attempt() {
    const [accessKey, securityCode] = [key.value.trim(), code.value.trim()]
    if (accessKey === '' || securityCode === '') {
      problem.textContent = t.fillInBoth
      ;(accessKey === '' ? key : code).focus()
      return
    }
    submit.disabled = true
    problem.textContent = ''
    // Closing the dialog cancels the request.
    const controller = new AbortController()
    dialog.addEventListener('close', () => controller.abort(), { once: true })
    const refused = await signIn(basePath, accessKey, securityCode, controller.signal, t)
    submit.disabled = false
    if (refused !== undefined) {
      problem.textContent = refused
      code.focus()
      return
    }
    code.value = ''
    dialog.close()
    afterwards?.()
  }

  dialog.addEventListener('close', () => (code.value = ''))
  element('.cancel', dialog).addEventListener('click', () => dialog.close())
  onEvery('click', '.open-sign-in', (button) => (session() && button.id === 'session-button' ? signOut() : open()))
  onSession((now) => {
    element('#session-button').textContent = now ? t.signOut : t.signIn
    element('#who').textContent = now ? now.client : ''
  })
  return open
}
