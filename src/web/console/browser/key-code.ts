// Shows a security code once, with what is needed to hand it over and to try it. It stays in the memory of this page until the view
// is left.
import { html } from '../../page/browser/html.ts'
import type { Key } from './data.ts'
import { moment, t } from './language.ts'
import { copyable, empty } from './parts.ts'
import type { View } from './router.ts'
import { session } from './session.ts'

let fresh: { readonly key: Key; readonly code: string; readonly how: 'made' | 'renewed' | 'rotated' } | undefined

export function keepCode(key: Key, code: string, how: 'made' | 'renewed' | 'rotated') {
  fresh = { key, code, how }
}

export function forgetCode() {
  fresh = undefined
}

function curlLine(key: string, code: string): string {
  const { port, base_path: path, authority } = session().api ?? { port: 443, base_path: '', authority: null }
  const trust = authority === null ? '' : ` --cacert '${authority}'`
  return `curl -s${trust} -u '${key}:${code}' -d grant_type=client_credentials https://${location.hostname}:${port}${path}/auth/token`
}

export function codeView(id: string): View {
  const own = `#keys/${encodeURIComponent(id)}`
  if (fresh?.key.client_id !== id)
    return {
      title: t.code.code,
      html: html`<h1>${t.code.code}</h1>
        ${empty(t.code.code, t.code.gone, html`<a class="button" href="${own}">${t.page.back}</a>`)}`,
    }
  const { key, code, how } = fresh
  const titles = { made: t.code.made, renewed: t.code.renewed, rotated: t.code.rotated }
  const title = titles[how](key.name)
  return {
    title,
    html: html`<h1>${title}</h1>
      <p class="warning">${t.code.once}</p>
      ${key.old_code_until !== null && html`<p>${t.code.oldWorks(moment(key.old_code_until))}</p>`}
      <div class="code-once">
        ${copyable(t.code.accessKey, key.client_id)}${copyable(t.code.code, code, 'secret')}
        ${copyable(t.code.try, curlLine(key.client_id, code), 'curl')}
        <p class="note">${t.code.tryNote}</p>
      </div>
      <p class="buttons start">
        <a class="button primary" href="${own}">${t.code.done}</a>
        <a class="button" href="${own}/look" target="_blank" rel="noopener">${t.code.look}</a>
      </p>`,
    // Changing the language does not leave the view.
    ready: () => () => {
      if (location.hash !== `${own}/code`) fresh = undefined
    },
  }
}
