// The code samples of operations: in the language that was chosen last, with the values of the form beside them.
import { element, onEvery } from '../../page/browser/dom.ts'
import { highlight } from './highlight.ts'
import { keep, readKept } from '../../page/browser/kept.ts'
import { isSampleLanguage, sampleOf, syntaxOf, type SampleRequest } from './samples.ts'

// The address of the service in samples: the public address if it is set, otherwise the origin of this page.
export const serviceOrigin = () => document.documentElement.dataset['origin'] ?? location.origin

const kept = 'sample-language'

const chosen = () => {
  const name = readKept(kept)
  return isSampleLanguage(name) ? name : 'curl'
}

// `targetOf` gives path and query of the form, or undefined if it has none or lacks a value.
export function startSamples(within: () => HTMLElement, targetOf: (samples: HTMLElement) => string | undefined) {
  const show = () => {
    for (const samples of within().querySelectorAll<HTMLElement>('.samples')) showSample(samples, targetOf(samples))
  }
  const choose = (tab: HTMLElement) => {
    keep(kept, tab.dataset['language'] ?? '')
    show()
  }
  onEvery('click', '.samples [role=tab]', choose)
  onEvery('keydown', '.samples [role=tab]', (tab, event) => {
    const tabs = [...(tab.parentElement?.querySelectorAll<HTMLElement>('[role=tab]') ?? [])]
    const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }
    const next = tabs.at((tabs.indexOf(tab) + (steps[event.key] ?? 0)) % tabs.length)
    if (!next || next === tab) return
    event.preventDefault()
    choose(next)
    next.focus()
  })
  return show
}

function showSample(samples: HTMLElement, target: string | undefined) {
  const { target: example, ...request } = JSON.parse(samples.dataset['request'] ?? '{}') as SampleRequest & {
    target: string
  }
  const language = chosen()
  for (const tab of samples.querySelectorAll<HTMLElement>('[role=tab]')) {
    const isChosen = tab.dataset['language'] === language
    tab.setAttribute('aria-selected', String(isChosen))
    tab.tabIndex = isChosen ? 0 : -1
    if (isChosen) element('pre', samples).setAttribute('aria-labelledby', tab.id)
  }
  const code = sampleOf(language, { ...request, url: serviceOrigin() + (target ?? example) })
  element('code', samples).innerHTML = highlight(code, syntaxOf(language)).text
}
