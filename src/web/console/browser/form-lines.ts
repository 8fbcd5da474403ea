// The lines of a form: a question, what is meant by it, what is wrong with the answer, and a field. And what was typed there.
import { html, type Html } from '../../page/browser/html.ts'

export const hint = (name: string, text: string) => html`<span class="note" id="${name}-note">${text}</span>`
export const faultPlace = (name: string) => html`<span class="fault" id="${name}-fault"></span>`

// `field` are attributes of the input beside those that every one has.
export const line = (name: string, text: string, note: string, field: Html): Html =>
  html`<div class="question">
    <label class="legend" for="${name}">${text}</label>${hint(name, note)}${faultPlace(name)}
    <input id="${name}" name="${name}" ${field} aria-describedby="${name}-note ${name}-fault" />
  </div>`

// Half a day is no day: that is to be said, not taken for none.
export const readDay = (field: HTMLInputElement): string | null => (field.validity.badInput ? '-' : field.value || null)

export function readList(typed: string): string[] | null {
  const items = typed.split(/[\s,;]+/).filter(Boolean)
  return items.length === 0 ? null : items
}
