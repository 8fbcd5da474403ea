// The buttons that change a key, each with its confirmation; and the view that shows a new security code once, with what the user needs
// to hand it over and to try it.
import { useEffect } from 'preact/hooks'
import { ActionButton } from './action.tsx'
import { ask, docsAddress, serviceAddress, session } from './ask.ts'
import type { Key, ListedKey, NewCode } from '../answers.ts'
import { release, useWarning } from './dialog.tsx'
import { Input, useTyped } from './form.tsx'
import { keyAddress, lastUse, readsLong } from './key-words.ts'
import { fill, moment, number, t } from './language.ts'
import { CopyButton, Empty, LinkButton } from './parts.tsx'
import { go, type Draw } from './router.tsx'

interface KeyProps {
  readonly of: ListedKey
}

const pathOf = ({ client_id: id }: Key) => `/api/keys/${encodeURIComponent(id)}`

// Both ways to a new code: keep it in memory, then open its view.
const forNewCode = (key: Key, kind: CodeKind, place: string) => ({
  work: async (values: FormData) =>
    keepCode(await ask<NewCode>('POST', `${pathOf(key)}/${place}`, Object.fromEntries(values)), kind),
  done: () => void go(`${keyAddress(key.client_id)}/code`),
})

const Overlap = () => (
  <Input
    form={useTyped({ overlap: '24h' })}
    name="overlap"
    label={t.key.overlap}
    options={Object.entries(t.key.overlaps)}
  />
)

export const KeyActions = ({ of: key }: KeyProps) => (
  <>
    {key.old_code_until === null && (
      <ActionButton
        id="rotate"
        text={t.key.rotate}
        question={fill(t.key.rotateTitle, { name: key.name })}
        means={[t.key.rotateNew, t.key.rotateThen]}
        more={<Overlap />}
        {...forNewCode(key, 'rotated', 'rotation')}
      />
    )}
    <ActionButton
      id="renew"
      text={t.key.renew}
      question={fill(t.key.renewTitle, { name: key.name })}
      means={[t.key.renewStops, t.key.renewThen, t.key.renewGap]}
      isGrave
      {...forNewCode(key, 'renewed', 'code')}
    />
    {/* One button, so that it keeps the focus. */}
    {key.state !== 'expired' && <PauseOrResume of={key} isActive={key.state === 'active'} />}
    <ActionButton
      id="revoke"
      class="grave"
      text={t.key.revoke}
      question={fill(t.key.revokeTitle, { name: key.name })}
      means={[
        t.key.revokeStops,
        t.key.revokeTokens,
        key.last_used === null
          ? t.key.revokeUnused
          : fill(t.key.revokeUsed, { when: lastUse(key), today: number(key.requests_today) }),
        t.key.revokeFinal,
      ]}
      isGrave
      work={() => ask('DELETE', pathOf(key))}
      done={t.key.isRevoked}
    />
  </>
)

const PauseOrResume = ({ of: key, isActive }: KeyProps & { isActive: boolean }) => (
  <ActionButton
    id={isActive ? 'pause' : 'resume'}
    text={isActive ? t.key.pause : t.key.resume}
    question={isActive && fill(t.key.pauseTitle, { name: key.name })}
    means={[t.key.pauseStops]}
    work={() => ask('PATCH', pathOf(key), { disabled: isActive })}
    done={isActive ? t.key.paused : t.key.resumed}
  />
)

export const Finish = ({ of: key }: KeyProps) => (
  <ActionButton
    id="finish"
    text={t.key.finish}
    question={fill(t.key.finishTitle, { name: key.name })}
    means={[t.key.finishStops]}
    work={() => ask('DELETE', `${pathOf(key)}/rotation`)}
    done={t.key.finished}
  />
)

export const RemoveUnused = ({ of: key, unused }: KeyProps & { unused: readonly string[] }) => (
  <ActionButton
    id="remove-unused"
    text={t.key.remove}
    question={fill(t.key.removeTitle, { name: key.name })}
    means={[`${t.key.removeStops} ${readsLong(unused)}`]}
    work={() => {
      const permissions = key.permissions.filter((name) => !unused.includes(name))
      return ask('PATCH', pathOf(key), { permissions, shown: { permissions: key.permissions } })
    }}
    done={t.key.removed}
  />
)

// A new code stays in the memory of this page until its view is left.
type CodeKind = 'made' | 'renewed' | 'rotated'
let fresh: (NewCode & { kind: CodeKind }) | undefined

export function keepCode(made: NewCode, kind: CodeKind) {
  fresh = { ...made, kind }
}

export function forgetCode() {
  fresh = undefined
}

function curlLine(key: string, code: string): string {
  const { base_path: path, authority } = session.value.api ?? { base_path: '', authority: null }
  const trust = authority === null ? '' : ` --cacert '${authority}'`
  return `curl -s${trust} -u '${key}:${code}' -d grant_type=client_credentials ${serviceAddress()}${path}/auth/token`
}

export function codeView(id: string): Draw {
  if (fresh?.data.client_id === id) {
    const { data: key, client_secret: code, kind } = fresh
    return () => ({ title: fill(t.code[kind], { name: key.name }), body: <Code of={key} code={code} /> })
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

function Code({ of: key, code }: { of: Key; code: string }) {
  const own = keyAddress(key.client_id)
  useWarning('code', true)
  useEffect(() => forgetCode, [])
  return (
    <>
      <p class="warning">{t.code.once}</p>
      {key.old_code_until !== null && <p>{fill(t.code.oldWorks, { when: moment(key.old_code_until) })}</p>}
      <div class="code-once">
        <Copyable label={t.fields.client_id} text={key.client_id} />
        <Copyable label={t.code.code} text={code} kind="secret" />
        <Copyable label={t.code.try} text={curlLine(key.client_id, code)} />
        <p class="note">{t.code.tryNote}</p>
        <Copyable label={t.code.docs} text={docsAddress()} />
      </div>
      <p class="buttons">
        <LinkButton class="primary" href={own} onClick={release} text={t.code.done} />
        <a class="button" href={`${own}/preview`} target="_blank" rel="noopener">
          {t.key.preview}
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
