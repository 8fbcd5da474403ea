// Shows a security code once, with what is needed to hand it over and to try it. It stays in the memory of this page until the view
// is left.
import { useEffect } from 'preact/hooks'
import type { Key } from './data.ts'
import { moment, t } from './language.ts'
import { release, useWarning } from './leaving.ts'
import { Copyable, Empty } from './parts.tsx'
import type { View } from './router.tsx'
import { session } from './session.ts'

interface Fresh {
  readonly key: Key
  readonly code: string
  readonly how: 'made' | 'renewed' | 'rotated'
}

let fresh: Fresh | undefined

export function keepCode(key: Key, code: string, how: Fresh['how']) {
  fresh = { key, code, how }
}

export function forgetCode() {
  fresh = undefined
}

function curlLine(key: string, code: string): string {
  const { port, base_path: path, authority } = session.value.api ?? { port: 443, base_path: '', authority: null }
  const trust = authority === null ? '' : ` --cacert '${authority}'`
  return `curl -s${trust} -u '${key}:${code}' -d grant_type=client_credentials https://${location.hostname}:${port}${path}/auth/token`
}

export function codeView(id: string): View {
  const own = `#keys/${encodeURIComponent(id)}`
  if (fresh?.key.client_id !== id) return { title: () => t.code.code, body: <CodeGone own={own} /> }
  const { key, how } = fresh
  const title = () => t.code[how](key.name)
  return { title, body: <Code fresh={fresh} own={own} title={title} /> }
}

const CodeGone = ({ own }: { own: string }) => (
  <>
    <h1>{t.code.code}</h1>
    <Empty title={t.code.code} note={t.code.gone}>
      <p>
        <a class="button" href={own}>
          {t.page.back}
        </a>
      </p>
    </Empty>
  </>
)

function Code({ fresh: { key, code }, own, title }: { fresh: Fresh; own: string; title: () => string }) {
  useWarning('code', true)
  useEffect(() => forgetCode, [])
  return (
    <>
      <h1>{title()}</h1>
      <p class="warning">{t.code.once}</p>
      {key.old_code_until !== null && <p>{t.code.oldWorks(moment(key.old_code_until))}</p>}
      <div class="code-once">
        <Copyable label={t.code.accessKey} text={key.client_id} />
        <Copyable label={t.code.code} text={code} kind="secret" />
        <Copyable label={t.code.try} text={curlLine(key.client_id, code)} kind="curl" />
        <p class="note">{t.code.tryNote}</p>
      </div>
      <p class="buttons start">
        <a class="button primary" href={own} onClick={release}>
          {t.code.done}
        </a>
        <a class="button" href={`${own}/look`} target="_blank" rel="noopener">
          {t.code.look}
        </a>
      </p>
    </>
  )
}
