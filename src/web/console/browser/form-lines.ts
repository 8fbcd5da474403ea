// The lines of a form: a question, its note, the fault of the answer, and a field. Also reads what was typed.
import { html, type Html } from '../../page/browser/html.ts'

export const hint = (name: string, text: string) => html`<span class="note" id="${name}-note">${text}</span>`
export const faultPlace = (name: string) => html`<span class="fault" id="${name}-fault"></span>`

// `field`: further attributes of the input.
export const line = (name: string, text: string, note: string, field: Html): Html =>
  html`<div class="question">
    <label class="legend" for="${name}">${text}</label>${hint(name, note)}${faultPlace(name)}
    <input id="${name}" name="${name}" ${field} aria-describedby="${name}-note ${name}-fault" />
  </div>`

// An incomplete day must be refused, not taken for an empty field.
export const readDay = (field: HTMLInputElement): string | null => (field.validity.badInput ? '-' : field.value || null)

export function readList(typed: string): string[] | null {
  const items = typed.split(/[\s,;]+/).filter(Boolean)
  return items.length === 0 ? null : items
}
