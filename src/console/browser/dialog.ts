// Asks before something is done that stops other things from working: says what, does it in view of whoever asked, and says
// what went wrong.
import { one } from '../../page/browser/dom.ts'
import { html } from '../../page/browser/html.ts'
import { sentencesOf } from './ask.ts'
import { t } from './language.ts'
import { atWork } from './parts.ts'

export interface Question {
  readonly title: string
  // What it means, a sentence each.
  readonly means: readonly string[]
  readonly action: string
  readonly isGrave?: boolean
  readonly work: () => Promise<void>
}

// True when it was done.
export function confirm({ title, means, action, isGrave = false, work }: Question): Promise<boolean> {
  const dialog = one('#ask', HTMLDialogElement)
  dialog.innerHTML = html`<h2 id="ask-title">${title}</h2>
    <ul>
      ${means.map((sentence) => html`<li>${sentence}</li> `)}
    </ul>
    <div class="faults" role="alert"></div>
    <p class="buttons">
      <button type="button" class="cancel" autofocus>${t.page.cancel}</button>
      <button type="button" class="do ${isGrave ? 'grave' : 'primary'}">${action}</button>
    </p>`.text
  const button = one('.do', HTMLButtonElement, dialog)
  const faults = one('.faults', HTMLElement, dialog)
  return new Promise((resolve) => {
    let isDone = false
    const attempt = async () => {
      faults.textContent = ''
      try {
        await atWork(button, work)
        isDone = true
        dialog.close()
      } catch (error) {
        faults.innerHTML = html`${sentencesOf(error).map((sentence) => html`<p>${sentence}</p>`)}`.text
      }
    }
    dialog.addEventListener('close', () => resolve(isDone), { once: true })
    one('.cancel', HTMLButtonElement, dialog).addEventListener('click', () => dialog.close())
    button.addEventListener('click', () => void attempt())
    dialog.showModal()
  })
}
