// The buttons that change a key, each with its question.
import { Act } from './act.tsx'
import { ask } from './ask.ts'
import type { Key, ListedKey, NewCode } from '../answers.ts'
import { Input, useTyped } from './form.tsx'
import { keepCode, type CodeKind } from './key-code.tsx'
import { keyAddress, lastUse, readsLong } from './key-words.ts'
import { number, t } from './language.ts'
import { go } from './router.tsx'

interface ActsProps {
  readonly of: ListedKey
}

const pathOf = ({ client_id: id }: Key) => `/api/keys/${encodeURIComponent(id)}`

// What either way of getting a new code does, and then shows.
const forNewCode = (key: Key, kind: CodeKind, place: string) => ({
  work: async (values: FormData) =>
    keepCode(await ask<NewCode>('POST', `${pathOf(key)}/${place}`, Object.fromEntries(values)), kind),
  done: () => go(`${keyAddress(key.client_id)}/code`),
})

const Overlap = () => (
  <Input
    form={useTyped({ overlap: '24h' })}
    name="overlap"
    label={t.key.overlap}
    options={Object.entries(t.key.overlaps)}
  />
)

export const KeyActs = ({ of: key }: ActsProps) => (
  <>
    {key.old_code_until === null && (
      <Act
        id="rotate"
        text={t.key.rotate}
        question={t.key.rotateTitle(key.name)}
        means={[t.key.rotateNew, t.key.rotateThen]}
        more={<Overlap />}
        {...forNewCode(key, 'rotated', 'rotation')}
      />
    )}
    <Act
      id="renew"
      text={t.key.renew}
      question={t.key.renewTitle(key.name)}
      means={[t.key.renewStops, t.key.renewThen, t.key.renewGap]}
      isGrave
      {...forNewCode(key, 'renewed', 'code')}
    />
    {/* One button, so that it keeps the focus. */}
    {key.state !== 'expired' && <PauseOrResume of={key} isActive={key.state === 'active'} />}
    <Act
      id="revoke"
      class="grave"
      text={t.key.revoke}
      question={t.key.revokeTitle(key.name)}
      means={[
        t.key.revokeStops,
        t.key.revokeTokens,
        key.last_used === null ? t.key.revokeUnused : t.key.revokeUsed(lastUse(key), number(key.requests_today)),
        t.key.revokeFinal,
      ]}
      isGrave
      work={() => ask('DELETE', pathOf(key))}
      done={t.key.isRevoked}
    />
  </>
)

const PauseOrResume = ({ of: key, isActive }: ActsProps & { isActive: boolean }) => (
  <Act
    id={isActive ? 'pause' : 'resume'}
    text={isActive ? t.key.pause : t.key.resume}
    question={isActive && t.key.pauseTitle(key.name)}
    means={[t.key.pauseStops]}
    work={() => ask('PATCH', pathOf(key), { disabled: isActive })}
    done={isActive ? t.key.paused : t.key.resumed}
  />
)

export const Finish = ({ of: key }: ActsProps) => (
  <Act
    id="finish"
    text={t.key.finish}
    question={t.key.finishTitle(key.name)}
    means={[t.key.finishStops]}
    work={() => ask('DELETE', `${pathOf(key)}/rotation`)}
    done={t.key.finished}
  />
)

export const RemoveUnused = ({ of: key, unused }: ActsProps & { unused: readonly string[] }) => (
  <Act
    id="remove-unused"
    text={t.key.remove}
    question={t.key.removeTitle(key.name)}
    means={[`${t.key.removeStops} ${readsLong(unused)}`]}
    work={() => {
      const permissions = key.permissions.filter((name) => !unused.includes(name))
      return ask('PATCH', pathOf(key), { permissions, shown: { permissions: key.permissions } })
    }}
    done={t.key.removed}
  />
)
