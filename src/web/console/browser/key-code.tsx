// Shows a security code once, with what is needed to hand it over and to try it. It stays in the memory of this page until the view
// is left.
import { useEffect } from 'preact/hooks'
import type { Key } from '../answers.ts'
import { keyAddress } from './key-words.ts'
import { moment, t } from './language.ts'
import { release, useWarning } from './leaving.ts'
import { CopyButton, Empty } from './parts.tsx'
import type { View } from './router.tsx'
import { session } from './session.ts'

export type CodeKind = 'made' | 'renewed' | 'rotated'

interface Fresh {
  readonly key: Key
  readonly code: string
  readonly kind: CodeKind
}

let fresh: Fresh | undefined

export function keepCode(key: Key, code: string, kind: CodeKind) {
  fresh = { key, code, kind }
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
  const own = keyAddress(id)
  if (fresh?.key.client_id !== id) return { title: () => t.code.code, body: <CodeGone own={own} /> }
  const { key, kind } = fresh
  return { title: () => t.code[kind](key.name), body: <Code fresh={fresh} own={own} /> }
}

const CodeGone = ({ own }: { own: string }) => (
  <Empty note={t.code.gone}>
    <a class="button" href={own}>
      {t.page.back}
    </a>
  </Empty>
)

function Code({ fresh: { key, code }, own }: { fresh: Fresh; own: string }) {
  useWarning('code', true)
  useEffect(() => forgetCode, [])
  return (
    <>
      <p class="warning">{t.code.once}</p>
      {key.old_code_until !== null && <p>{t.code.oldWorks(moment(key.old_code_until))}</p>}
      <div class="code-once">
        <Copyable label={t.fields.client_id} text={key.client_id} />
        <Copyable label={t.code.code} text={code} kind="secret" />
        <Copyable label={t.code.try} text={curlLine(key.client_id, code)} />
        <p class="note">{t.code.tryNote}</p>
      </div>
      <p class="buttons">
        <a class="button primary" href={own} onClick={release}>
          {t.code.done}
        </a>
        <a class="button" href={`${own}/look`} target="_blank" rel="noopener">
          {t.key.look}
        </a>
      </p>
    </>
  )
}

const Copyable = ({ label, text, kind = '' }: { label: string; text: string; kind?: string }) => (
  <div class={`copyable ${kind}`}>
    <p class="label">{label}</p>
    <div class="copy-row">
      <code>{text}</code>
      <CopyButton label={label} text={text} />
    </div>
  </div>
)
