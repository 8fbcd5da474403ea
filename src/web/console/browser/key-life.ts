// The life of a key: notes that it ends soon or has ended, or has two codes, and the dialogs of a rotation.
import { one } from '../../page/browser/dom.ts'
import { html, type Html } from '../../page/browser/html.ts'
import { ask } from './ask.ts'
import type { Key } from './data.ts'
import { confirm } from './dialog.ts'
import { keepCode } from './key-code.ts'
import { lastDay } from './key-words.ts'
import { moment, t } from './language.ts'

const notice = (name: string, title: string, note: string, action: Html): Html =>
  html`<section class="notice" aria-labelledby="${name}-title">
    <h2 id="${name}-title">${title}</h2>
    <p>${note}</p>
    <p>${action}</p>
  </section>`

export function lifeHtml(key: Key): Html {
  const isOver = key.state === 'expired'
  const edit = html`<a class="button" href="#keys/${encodeURIComponent(key.client_id)}/edit">${t.key.edit}</a>`
  const day = lastDay(key)
  return html`${
    (isOver || key.days_left !== null) &&
    notice('end', isOver ? t.key.ended(day) : t.key.endsSoon(day), isOver ? t.key.endedNote : t.key.endsSoonNote, edit)
  }
  ${
    key.old_code_until !== null &&
    notice(
      'codes',
      t.key.twoCodes,
      t.key.twoCodesNote(moment(key.old_code_until)),
      html`<button type="button" id="finish">${t.key.finish}</button>`,
    )
  }`
}

const usualOverlap = '24h'
const overlaps = () => [
  ['1h', t.key.overlapHour],
  ['24h', t.key.overlapDay],
  ['7d', t.key.overlapWeek],
  ['30d', t.key.overlapMonth],
]

// True when it was done.
export const rotate = (key: Key, path: string): Promise<boolean> =>
  confirm({
    title: t.key.rotateTitle(key.name),
    means: [t.key.rotateNew, t.key.rotateThen],
    more: html`<div class="input">
      <label for="overlap">${t.key.overlap}</label>
      <select id="overlap">
        ${overlaps().map(
          ([value, text]) =>
            html`<option value="${value}" ${value === usualOverlap && html`selected`}>${text}</option>`,
        )}
      </select>
    </div>`,
    action: t.key.rotate,
    async work() {
      const overlap = one('#overlap', HTMLSelectElement).value
      const made = await ask<{ data: Key; client_secret: string }>('POST', `${path}/rotation`, { overlap })
      keepCode(made.data, made.client_secret, 'rotated')
    },
  })

export const finish = (key: Key, path: string): Promise<boolean> =>
  confirm({
    title: t.key.finishTitle(key.name),
    means: [t.key.finishStops],
    action: t.key.finish,
    work: () => ask('DELETE', `${path}/rotation`),
  })
