// Asks for confirmation before a disruptive act: says what it means, does it while the dialog is open, and shows what went
// wrong.
import { one } from '../../page/browser/dom.ts'
import { html, type Html } from '../../page/browser/html.ts'
import { sentencesOf } from './ask.ts'
import { t } from './language.ts'
import { atWork } from './parts.ts'

export interface Question {
  readonly title: string
  // What the act means, in sentences.
  readonly means: readonly string[]
  // Options to choose from.
  readonly more?: Html
  readonly action: string
  readonly isGrave?: boolean
  readonly work: () => Promise<void>
}

// True when it was done.
export function confirm({ title, means, more, action, isGrave = false, work }: Question): Promise<boolean> {
  const dialog = one('#ask', HTMLDialogElement)
  dialog.innerHTML = html`<h2 id="ask-title">${title}</h2>
    <ul>
      ${means.map((sentence) => html`<li>${sentence}</li> `)}
    </ul>
    ${more ?? ''}
    <div class="faults" role="alert"></div>
    <p class="buttons">
      <button type="button" class="cancel" autofocus>${t.page.cancel}</button>
      <button type="button" class="do ${isGrave ? 'grave' : 'primary'}">${action}</button>
    </p>`.text
  const button = one('.do', HTMLButtonElement, dialog)
  const faults = one('.faults', HTMLElement, dialog)
  return new Promise((resolve) => {
    // Does not use the `close` event: it comes later, when the next dialog may be open.
    const over = new AbortController()
    const leave = (isDone: boolean) => {
      over.abort()
      dialog.close()
      resolve(isDone)
    }
    const attempt = async () => {
      faults.textContent = ''
      try {
        await atWork(button, work)
        leave(true)
      } catch (error) {
        faults.innerHTML = html`${sentencesOf(error).map((sentence) => html`<p>${sentence}</p>`)}`.text
      }
    }
    const cancel = one('.cancel', HTMLButtonElement, dialog)
    // While the act runs, the dialog stays open.
    const escape = (event: Event) => (button.disabled ? event.preventDefault() : leave(false))
    dialog.addEventListener('cancel', escape, { signal: over.signal })
    cancel.addEventListener('click', () => !button.disabled && leave(false))
    button.addEventListener('click', () => void attempt())
    dialog.showModal()
  })
}
