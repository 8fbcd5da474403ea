// An answer as HTML: status, an error's sentence, selected headers, the JSON, and buttons for the previous and next page.
import { codeBlock } from './code-block.ts'
import { indentJson } from './indent-json.ts'
import { html, type Html } from '../../page/browser/html.ts'
import type { Texts } from './texts-en.ts'

export interface ShownAnswer {
  readonly status: number
  readonly statusText: string
  readonly milliseconds: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly text: string
}

interface AnswerBody {
  readonly meta?: { readonly page: number; readonly total_pages: number }
  readonly error?: {
    readonly message?: string
    readonly details?: readonly { readonly parameter: string; readonly message: string }[]
  }
}

// Separate from the rest of the answer, because screen readers announce it at once.
export const outcomeHtml = ({ status, statusText, milliseconds }: ShownAnswer): Html =>
  html`<span class="status ${status < 400 ? 'good' : 'bad'}">${status}${statusText !== '' && ` ${statusText}`}</span>
    <span class="took">${Math.round(milliseconds)} ms</span>`

export function answerHtml({ headers, text }: ShownAnswer, t: Texts): Html {
  const body = parse(text) as AnswerBody | undefined
  return html`${fault(body?.error, t)}
    <dl class="headers">
      ${headers.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
    ${pages(body?.meta, t)} ${codeBlock(body === undefined ? text : indentJson(text), 'json', t)}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// The service says details in English only.
const fault = (error: AnswerBody['error'], t: Texts) =>
  error?.message !== undefined &&
  html`<div class="fault">
    <p>${t.say(error.message)}</p>
    ${
      (error.details?.length ?? 0) > 0 &&
      html`<ul lang="en">
        ${error.details?.map(({ parameter, message }) => html`<li><code>${parameter}</code> ${message}</li>`)}
      </ul>`
    }
  </div>`

// Empty for an empty list. Beyond the end, "previous" leads to the last page.
const pages = (meta: AnswerBody['meta'], t: Texts) =>
  meta !== undefined &&
  meta.total_pages > 0 &&
  html`<p class="pages">
    <button
      type="button"
      class="turn"
      data-page="${Math.min(meta.page - 1, meta.total_pages)}"
      ${meta.page <= 1 && html` disabled`}
    >
      ${t.previousPage}
    </button>
    <button type="button" class="turn" data-page="${meta.page + 1}" ${meta.page >= meta.total_pages && html` disabled`}>
      ${t.nextPage}
    </button>
    <span>${t.pageOf(meta.page, meta.total_pages)}</span>
  </p>`
