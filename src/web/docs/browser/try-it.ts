// Sends the request of a form, shows it as a curl command, and shows the answer.
import { element, onEvery } from '../../page/browser/dom.ts'
import { answerHtml, type ShownAnswer } from './answer-html.ts'
import { serviceOrigin } from './origin.ts'
import { ask, session } from './session.ts'
import { targetOf } from './target.ts'

export function startTryIt(openSignIn: (then?: () => void) => void) {
  onEvery('input', 'form.try', (form) => showCurl(form as HTMLFormElement))
  onEvery('submit', 'form.try', (found, event) => {
    event.preventDefault()
    const form = found as HTMLFormElement
    const send = () => void sendForm(form, openSignIn)
    if (form.dataset['needsToken'] === 'true' && !session()) openSignIn(send)
    else send()
  })
  onEvery('click', '.turn', (button) => {
    const form = button.closest<HTMLFormElement>('form.try')
    const page = form?.elements.namedItem('page')
    if (!form || !(page instanceof HTMLInputElement)) return
    page.value = button.dataset['page'] ?? ''
    showCurl(form)
    void sendForm(form, openSignIn)
  })
}

const formTarget = (form: HTMLFormElement) =>
  targetOf(
    form.dataset['path'] ?? '',
    [...new FormData(form)].map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value.trim() : '',
    ]),
  )

export function showCurl(form: HTMLFormElement) {
  const token = form.dataset['needsToken'] === 'true' ? ' -H "Authorization: Bearer $TOKEN"' : ''
  element('.curl code', form).textContent = `curl -s${token} "${serviceOrigin()}${formTarget(form)}"`
}

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

async function sendForm(form: HTMLFormElement, openSignIn: (then?: () => void) => void) {
  underWay.get(form)?.abort()
  const controller = new AbortController()
  underWay.set(form, controller)
  const [waiting, place] = [element('.waiting', form), element('.answer', form)]
  const target = formTarget(form)
  if (target.includes('{')) {
    waiting.textContent = 'Fill in the id.'
    form.querySelector<HTMLInputElement>('input[name=id]')?.focus()
    return
  }
  waiting.textContent = 'Sending…'
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
    place.innerHTML = answerHtml(shown).text
    waiting.textContent = ''
    suggestId(form, text)
    if (answer.status === 401 && session()) {
      openSignIn(() => void sendForm(form, openSignIn))
      element('#sign-in-problem').textContent = 'Your token is no longer valid. Sign in again.'
    }
  } catch {
    if (!controller.signal.aborted) waiting.textContent = 'The service cannot be reached.'
  }
}

// Fills the form of the detail with the first record of the list.
function suggestId(form: HTMLFormElement, text: string) {
  const id = /^\{"data":\[\{"id":(\d+)/.exec(text)?.[1]
  const input = form.closest('article')?.querySelector<HTMLInputElement>('input[name=id]')
  if (id === undefined || !input || input.value !== '') return
  input.value = id
  if (input.form) showCurl(input.form)
}
