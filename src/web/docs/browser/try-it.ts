// Sends the request of a form and shows the answer.
import { element, onEvery } from '../../page/browser/dom.ts'
import { answerHtml, outcomeHtml, type ShownAnswer } from './answer-html.ts'
import { ask, session } from './session.ts'
import { targetOf } from './target.ts'
import type { Texts } from './texts-en.ts'

// `onChange` is called when the values of a form have changed.
export function startTryIt(openSignIn: (then?: () => void) => void, onChange: () => void, t: Texts) {
  const send = (form: HTMLFormElement) => void sendForm(form, { openSignIn, onChange, t })
  onEvery('input', 'form.try', onChange)
  onEvery('submit', 'form.try', (found, event) => {
    event.preventDefault()
    const form = found as HTMLFormElement
    if (form.dataset['needsToken'] === 'true' && !session()) openSignIn(() => send(form))
    else send(form)
  })
  onEvery('click', '.turn', (button) => {
    const form = button.closest<HTMLFormElement>('form.try')
    const page = form?.elements.namedItem('page')
    if (!form || !(page instanceof HTMLInputElement)) return
    page.value = button.dataset['page'] ?? ''
    onChange()
    send(form)
  })
}

// Path and query; `{id}` stays if there is none.
export const formTarget = (form: HTMLFormElement) =>
  targetOf(
    form.dataset['path'] ?? '',
    [...new FormData(form)].map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value.trim() : '',
    ]),
  )

const headerNames = [
  'X-Total-Count',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'X-Data-Lag-Seconds',
  'X-Request-Id',
]

const underWay = new WeakMap<HTMLFormElement, AbortController>()

interface Surroundings {
  readonly openSignIn: (then?: () => void) => void
  readonly onChange: () => void
  readonly t: Texts
}

async function sendForm(form: HTMLFormElement, around: Surroundings) {
  const { openSignIn, onChange, t } = around
  underWay.get(form)?.abort()
  const controller = new AbortController()
  underWay.set(form, controller)
  const [outcome, place] = [element('.outcome', form), element('.answer', form)]
  const target = formTarget(form)
  if (target.includes('{')) {
    outcome.textContent = t.fillInId
    form.querySelector<HTMLInputElement>('input[name=id]')?.focus()
    return
  }
  outcome.textContent = t.sending
  try {
    const begun = performance.now()
    const answer = await ask(target, session()?.token, controller.signal)
    const text = await answer.text()
    const shown: ShownAnswer = {
      status: answer.status,
      statusText: answer.statusText,
      milliseconds: performance.now() - begun,
      headers: headerNames.flatMap((name): [string, string][] => {
        const value = answer.headers.get(name)
        return value === null ? [] : [[name, value]]
      }),
      text,
    }
    place.innerHTML = answerHtml(shown, t).text
    outcome.innerHTML = outcomeHtml(shown).text
    if (suggestId(form, text)) onChange()
    if (answer.status === 401 && session()) {
      openSignIn(() => void sendForm(form, around))
      element('#sign-in-problem').textContent = t.tokenEnded
    }
  } catch {
    if (controller.signal.aborted) return
    place.innerHTML = ''
    outcome.textContent = t.unreachable
  }
}

// Fills the form of the detail with the first record of the list.
function suggestId(form: HTMLFormElement, text: string): boolean {
  const id = /^\{"data":\[\{"id":(\d+)/.exec(text)?.[1]
  const input = form.closest('article')?.querySelector<HTMLInputElement>('input[name=id]')
  if (id === undefined || !input || input.value !== '') return false
  input.value = id
  return true
}
