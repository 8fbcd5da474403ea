// An answer as HTML: status, selected headers, the JSON, and buttons for the previous and next page.
import { codeBlock } from './code-block.ts'
import { html, type Html } from '../../page/browser/html.ts'

export interface ShownAnswer {
  readonly status: number
  readonly statusText: string
  readonly milliseconds: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly text: string
}

interface PageMeta {
  readonly page: number
  readonly total_pages: number
}

export function answerHtml({ status, statusText, milliseconds, headers, text }: ShownAnswer): Html {
  const body = parse(text)
  return html`<p class="outcome">
      <span class="status ${status < 400 ? 'good' : 'bad'}">${status}${statusText !== '' && ` ${statusText}`}</span>
      <span class="took">${Math.round(milliseconds)} ms</span>
    </p>
    <dl class="headers">
      ${headers.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
    ${pages((body as { meta?: PageMeta } | undefined)?.meta)}
    ${codeBlock(body === undefined ? text : JSON.stringify(body, null, 2), 'json')}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const pages = (meta: PageMeta | undefined) =>
  meta !== undefined &&
  html`<p class="pages">
    <button type="button" class="turn" data-page="${meta.page - 1}" ${meta.page <= 1 && html` disabled`}>
      Previous page
    </button>
    <span>Page ${meta.page} of ${meta.total_pages}</span>
    <button type="button" class="turn" data-page="${meta.page + 1}" ${meta.page >= meta.total_pages && html` disabled`}>
      Next page
    </button>
  </p>`
