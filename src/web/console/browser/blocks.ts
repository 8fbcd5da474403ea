// Callers that are blocked now, with buttons to unblock them.
import { html, type Html } from '../../page/browser/html.ts'
import { ask, get } from './ask.ts'
import { confirm } from './dialog.ts'
import { moment, number, t } from './language.ts'
import { empty, tell } from './parts.ts'
import { show, type View } from './router.ts'

interface Block {
  readonly address: string
  readonly scope: 'key' | 'address'
  readonly client_id: string | null
  readonly name: string | null
  readonly failures: number
  readonly until: string
}

const lookEveryMs = 10_000
// The page refreshes automatically, without a click.
let isUnasked = false

export async function blocksView(): Promise<View> {
  const { data } = await get<{ data: Block[] }>(isUnasked ? '/api/blocks?unasked' : '/api/blocks')
  return {
    title: t.blocks.title,
    html: html`<h1>${t.blocks.title}</h1>
      <p class="lead">${t.blocks.lead}</p>
      ${data.length === 0 ? empty(t.blocks.none, t.blocks.noneNote) : tableHtml(data)}`,
    ready(main) {
      for (const button of main.querySelectorAll<HTMLButtonElement>('[data-address]'))
        button.addEventListener('click', () => void clear(button.dataset['address'] ?? ''))
      // Removes blocks that have ended, but not while a button has the focus or a dialog is open.
      const timer = setInterval(() => {
        const isBusy = document.querySelector('dialog[open], #main button:focus') !== null
        if (isBusy || document.hidden) return
        isUnasked = true
        // Sends its request before it returns.
        void show()
        isUnasked = false
      }, lookEveryMs)
      return () => clearInterval(timer)
    },
  }
}

function whatText({ scope, client_id: id, name }: Block): string {
  if (scope === 'address') return t.blocks.ofAll
  return id === null ? t.blocks.ofUnknown : t.blocks.ofKey(name ?? id)
}

const tableHtml = (blocks: readonly Block[]): Html =>
  html`<div class="table">
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">${t.blocks.address}</th>
          <th scope="col">${t.blocks.what}</th>
          <th scope="col" class="number">${t.blocks.failures}</th>
          <th scope="col">${t.blocks.until}</th>
          <td></td>
        </tr>
      </thead>
      <tbody>
        ${blocks.map(
          (block) =>
            html`<tr>
              <th scope="row"><code>${block.address}</code></th>
              <td data-label="${t.blocks.what}">${whatText(block)}</td>
              <td data-label="${t.blocks.failures}" class="number">${number(block.failures)}</td>
              <td data-label="${t.blocks.until}">${moment(block.until)}</td>
              <td>
                <button type="button" data-address="${block.address}" aria-label="${t.blocks.clear}: ${block.address}">
                  ${t.blocks.clear}
                </button>
              </td>
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`

async function clear(address: string) {
  let cleared = 0
  const isDone = await confirm({
    title: t.blocks.clearTitle(address),
    means: [t.blocks.clearMeans],
    action: t.blocks.clear,
    async work() {
      ;({ cleared } = await ask<{ cleared: number }>('DELETE', `/api/blocks/${encodeURIComponent(address)}`))
    },
  })
  if (!isDone) return
  await show(true)
  tell(cleared > 0 ? t.blocks.cleared(address) : t.blocks.clearedAlready)
}
