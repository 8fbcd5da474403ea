// Shows a security code once, with what is needed to hand it over and to try it. It stays in the memory of this page until the view
// is left.
import { useEffect } from 'preact/hooks'
import { session } from './ask.ts'
import type { Key, NewCode } from '../answers.ts'
import { release, useWarning } from './dialog.tsx'
import { keyAddress } from './key-words.ts'
import { moment, t } from './language.ts'
import { CopyButton, Empty, LinkButton } from './parts.tsx'
import type { Draw } from './router.tsx'

export type CodeKind = 'made' | 'renewed' | 'rotated'

interface Fresh {
  readonly of: Key
  readonly code: string
  readonly kind: CodeKind
}

let fresh: Fresh | undefined

export function keepCode({ data, client_secret: code }: NewCode, kind: CodeKind) {
  fresh = { of: data, code, kind }
}

export function forgetCode() {
  fresh = undefined
}

function curlLine(key: string, code: string): string {
  const { port, base_path: path, authority } = session.value.api ?? { port: 443, base_path: '', authority: null }
  const trust = authority === null ? '' : ` --cacert '${authority}'`
  return `curl -s${trust} -u '${key}:${code}' -d grant_type=client_credentials https://${location.hostname}:${port}${path}/auth/token`
}

export function codeView(id: string): Draw {
  if (fresh?.of.client_id === id) {
    const { of: key, code, kind } = fresh
    return () => ({ title: t.code[kind](key.name), body: <Code of={key} code={code} /> })
  }
  return () => ({
    title: t.code.code,
    body: (
      <Empty note={t.code.gone}>
        <LinkButton href={keyAddress(id)} text={t.page.back} />
      </Empty>
    ),
  })
}

function Code({ of: key, code }: Omit<Fresh, 'kind'>) {
  const own = keyAddress(key.client_id)
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
        <LinkButton class="primary" href={own} onClick={release} text={t.code.done} />
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
