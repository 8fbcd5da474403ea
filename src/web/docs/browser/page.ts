// What the documentation page does: current article, search, sign-in, trying operations, copying.
import { element, onEvery } from '../../page/browser/dom.ts'
import { html } from '../../page/browser/html.ts'
import { keep } from '../../page/browser/kept.ts'
import { decoded } from '../../page/browser/typed.ts'
import { readDocument } from './read-document.ts'
import { navigationHtml, referenceHtml } from './reference-html.ts'
import { sampleOrigin } from './samples.ts'
import { startSearch } from './search-box.ts'
import { ask, onSession, session, type TokenSession } from './session.ts'
import { startSignIn } from './sign-in.ts'
import { serviceOrigin, startSamples } from './show-samples.ts'
import type { Texts } from './texts-en.ts'
import { formTarget, startTryIt } from './try-it.ts'

const basePath = '/api/v1'

const currentId = (): string => decoded(location.hash.slice(1))

// Not by :target, which is not set yet right after loading.
const currentArticle = (): HTMLElement =>
  document.querySelector(`[id="${CSS.escape(currentId())}"]`)?.closest('article') ?? element('article')

// Samples name the service that the page came from. (A public address is already in them.)
function nameService() {
  const texts = document.createTreeWalker(element('main'), NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node; node = texts.nextNode())
    if (node.nodeValue?.includes(sampleOrigin))
      node.nodeValue = node.nodeValue.replaceAll(sampleOrigin, serviceOrigin())
}

// The focused element keeps the focus and its place on the screen, if it is still there after the change.
function keepPlace(change: () => void) {
  const focused = document.activeElement
  const top = focused?.getBoundingClientRect().top ?? 0
  change()
  if (!(focused instanceof HTMLElement) || focused === document.body || !focused.isConnected) return
  focused.focus({ preventScroll: true })
  scrollBy({ top: focused.getBoundingClientRect().top - top, behavior: 'instant' })
}

export function startPage(t: Texts) {
  const title = document.title
  const [reference, navigation] = [element('#reference'), element('#reference-navigation')]
  const note = element('#session-note')
  const withoutToken = { reference: reference.innerHTML, navigation: navigation.innerHTML }

  const search = startSearch(() => currentArticle().dataset['find'] ?? '', t)
  const showSamples = startSamples(currentArticle, (samples) => {
    const form = samples.closest('.side')?.querySelector<HTMLFormElement>('form.try')
    const target = form ? formTarget(form) : '{'
    return target.includes('{') ? undefined : target
  })
  startTryIt(startSignIn(basePath, t), showSamples, t)

  function showCurrent() {
    const id = currentId()
    if (id === 'content') return
    if (id !== '' && !document.querySelector(`[id="${CSS.escape(id)}"]`)) return location.replace('#nothing-here')
    const article = currentArticle()
    for (const link of document.querySelectorAll('#navigation a')) {
      const isCurrent = link.getAttribute('href') === `#${article.id}`
      if (isCurrent) link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
      if (isCurrent) link.scrollIntoView({ block: 'nearest' })
    }
    const heading = article.querySelector('h1')?.textContent
    document.title = heading ? `${heading} – ${title}` : title
    element('#navigation').hidePopover()
    showSamples()
  }

  // Replacing the location makes the browser look for its target again in the new content.
  function showReference(made: { reference: string; navigation: string }) {
    reference.innerHTML = made.reference
    navigation.innerHTML = made.navigation
    search.forget()
    nameService()
    if (location.hash !== '') location.replace(location.hash)
    showCurrent()
  }

  async function showFor(now: TokenSession | undefined) {
    if (!now) {
      note.hidden = true
      return keepPlace(() => showReference(withoutToken))
    }
    const answer = await ask(`${basePath}/openapi.json`, now.token)
    if (!answer.ok || session() !== now) return
    const read = readDocument(await answer.json())
    keepPlace(() => {
      const forms = [...reference.querySelectorAll<HTMLFormElement>('form.try')]
      showReference({ reference: referenceHtml(read, t).text, navigation: navigationHtml(read, t).text })
      // The forms stay, with their inputs and pending answers.
      for (const form of forms)
        reference.querySelector(`form.try[data-path="${CSS.escape(form.dataset['path'] ?? '')}"]`)?.replaceWith(form)
      showSamples()
      note.innerHTML = html`${t.signedInAs} <strong>${now.client}</strong>. ${t.signedIn(read.resources.length)}`.text
      note.hidden = false
    })
  }

  // Without its document, the reference stays as it is.
  onSession((now) => void showFor(now).catch(() => {}))

  onEvery('click', '.copy', (button) => {
    const code = button.closest('.code')?.querySelector('code')
    if (code) void copy(code, button)
  })

  async function copy(code: Element, button: Element) {
    try {
      await navigator.clipboard.writeText(code.textContent ?? '')
      button.textContent = t.copied
      setTimeout(() => (button.textContent = t.copy), 1500)
    } catch {
      getSelection()?.selectAllChildren(code)
    }
  }

  // The same part in the other language.
  onEvery('click', '.language', (link, event) => {
    event.preventDefault()
    keep('language', link.lang)
    location.assign(`${link.getAttribute('href')}${location.hash}`)
  })

  element('.skip').addEventListener('click', (event) => {
    event.preventDefault()
    element('main').focus()
  })

  addEventListener('hashchange', showCurrent)
  nameService()
  showCurrent()
}
