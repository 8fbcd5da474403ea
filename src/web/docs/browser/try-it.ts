// Sends the request of a form and shows the answer.
import { element, onEvery } from '../../page/browser/dom.ts'
import { answerHtml, outcomeHtml, type ShownAnswer } from './answer-html.ts'
import { ask, session } from './session.ts'
import { targetOf } from './target.ts'
import type { Texts } from './texts-en.ts'

// `onChange` is called when the values of a form have changed.
export function startTryIt(openSignIn: (then?: () => void) => void, onChange: () => void, t: Texts) {
  async function send(form: HTMLFormElement) {
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
      const answer = await read(target, controller.signal)
      place.innerHTML = answerHtml(answer, t).text
      outcome.innerHTML = outcomeHtml(answer).text
      if (suggestId(form, answer.text)) onChange()
      if (answer.status === 401 && session()) {
        openSignIn(() => void send(form))
        element('#sign-in-problem').textContent = t.tokenEnded
      }
    } catch {
      if (controller.signal.aborted) return
      place.innerHTML = ''
      outcome.textContent = t.unreachable
    }
  }

  onEvery('input', 'form.try', onChange)
  onEvery('submit', 'form.try', (found, event) => {
    event.preventDefault()
    const form = found as HTMLFormElement
    if (form.dataset['needsToken'] === 'true' && !session()) openSignIn(() => void send(form))
    else void send(form)
  })
  onEvery('click', '.turn', (button) => {
    const form = button.closest<HTMLFormElement>('form.try')
    const page = form?.elements.namedItem('page')
    if (!form || !(page instanceof HTMLInputElement)) return
    page.value = button.dataset['page'] ?? ''
    onChange()
    void send(form)
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

async function read(target: string, signal: AbortSignal): Promise<ShownAnswer> {
  const begun = performance.now()
  const answer = await ask(target, session()?.token, signal)
  const text = await answer.text()
  const headers = headerNames.flatMap((name): [string, string][] => {
    const value = answer.headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  const { status, statusText } = answer
  return { status, statusText, milliseconds: performance.now() - begun, headers, text }
}

// Fills the form of the detail with the first record of the list.
function suggestId(form: HTMLFormElement, text: string): boolean {
  const id = /^\{"data":\[\{"id":(\d+)/.exec(text)?.[1]
  const input = form.closest('article')?.querySelector<HTMLInputElement>('input[name=id]')
  if (id === undefined || !input || input.value !== '') return false
  input.value = id
  return true
}
