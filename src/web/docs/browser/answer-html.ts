// An answer as people read it: status, the headers worth seeing, the JSON, and the pages before and after.
import { codeBlock } from './code-block.ts'
import { html, type Html } from '../../page/browser/html.ts'

export interface Shown {
  readonly status: number
  readonly statusText: string
  readonly milliseconds: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly text: string
}

interface Meta {
  readonly page: number
  readonly total_pages: number
}

export function answerHtml({ status, statusText, milliseconds, headers, text }: Shown): Html {
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
    ${pages((body as { meta?: Meta } | undefined)?.meta)}
    ${codeBlock(body === undefined ? text : JSON.stringify(body, null, 2), 'json')}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const pages = (meta: Meta | undefined) =>
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
