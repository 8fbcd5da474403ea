// Keys with permissions that they do not use.
import { html, type Html } from '../../page/browser/html.ts'
import { number, t } from './language.ts'
import { permissionName } from './parts.ts'

export interface UnusedKey {
  readonly client_id: string
  readonly name: string
  readonly permissions: readonly string[]
}

const most = 100

export const unusedHtml = (keys: readonly UnusedKey[], days: number): Html =>
  html`<h2>${t.use.unused}</h2>
    ${
      keys.length === 0
        ? html`<p>${t.use.unusedNone(number(days))}</p>`
        : html`<p>${t.use.unusedLead(number(days))}</p>
            <ul class="unused">
              ${keys.slice(0, most).map(
                ({ client_id: id, name, permissions }) =>
                  html`<li>
                    <a href="#keys/${encodeURIComponent(id)}">${name}</a>
                    <ul class="tags">
                      ${permissions.map((each) => html`<li>${permissionName(each)}</li>`)}
                    </ul>
                  </li>`,
              )}
            </ul>
            ${keys.length > most && html`<p>${t.use.unusedMore(keys.length - most, number(keys.length - most))} <code>vitrine keys unused</code></p>`}`
    }`
