// Sign-in: on arrival, with the link of the first start, and again when a session has ended.
import { ask, keepProof, session, signingInAgain } from './ask.ts'
import { useModal } from './dialog.tsx'
import { NewPasswordInputs, Input, SmallForm, useForm } from './form.tsx'
import { keep, readKept } from '../../page/browser/kept.ts'
import { t } from './language.ts'
import { Empty } from './parts.tsx'
import type { Draw } from './router.tsx'

// The service recognises this browser by it, so that other people's wrong guesses do not make it wait.
const kept = 'browser'

export async function setPassword(body: object) {
  const { browser } = await ask<{ browser: string }>('POST', '/api/password', body)
  keep(kept, browser)
}

async function signIn(name: string, password: string) {
  const body = { name, password, browser: readKept(kept) }
  const { proof, browser } = await ask<{ proof: string; browser: string }>('POST', '/api/session', body)
  keep(kept, browser)
  keepProof(proof)
}

const nameField = () => ({ name: 'name', label: t.signIn.name, maxLength: 60, autocomplete: 'username' }) as const

function PasswordForm({ account = '', place = '', onDone }: { account?: string; place?: string; onDone: () => void }) {
  const send = ({ name, password }: { name: string; password: string }) => signIn(name, password).then(onDone)
  const form = useForm({ name: account, password: '' }, send, { isKept: false })
  return (
    <SmallForm form={form} action={t.signIn.submit}>
      <Input form={form} {...nameField()} place={place} autofocus={account === ''} />
      <Input
        form={form}
        name="password"
        label={t.signIn.password}
        place={place}
        type="password"
        autocomplete="current-password"
        autofocus={account !== ''}
      />
    </SmallForm>
  )
}

// With the link of the first start.
function FirstForm({ link, onDone }: { link: string; onDone: () => void }) {
  const form = useForm(
    { name: '', password: '', repeat: '' },
    async (values) => {
      // A second attempt, after the password was set, only signs in.
      if (!session.value.has_password) await setPassword({ link, ...values })
      session.value = { ...session.value, has_password: true }
      await signIn(values.name, values.password)
      onDone()
    },
    { isKept: false },
  )
  return (
    <SmallForm form={form} action={t.signIn.setAndGo}>
      <Input form={form} {...nameField()} autofocus />
      <NewPasswordInputs form={form} />
    </SmallForm>
  )
}

// `said`: a sentence above the form, for example why the session ended.
export const signInView =
  (link: string | undefined, said: string, onDone: () => void): Draw =>
  () => ({
    title: link === undefined ? t.signIn.title : t.signIn.first,
    lead: link === undefined ? t.signIn.lead : t.signIn.firstLead,
    body: (
      <>
        {said !== '' && (
          <p class="said" role="status">
            {said}
          </p>
        )}
        {link !== undefined ? (
          <FirstForm link={link} onDone={onDone} />
        ) : session.value.has_password ? (
          <>
            <PasswordForm onDone={onDone} />
            <p class="note forgotten">
              {t.signIn.forgotten} <code>vitrine admin password {t.signIn.nameHere}</code>
            </p>
          </>
        ) : (
          <NoPassword />
        )}
      </>
    ),
  })

const NoPassword = () => (
  <Empty title={t.signIn.noPassword} note={t.signIn.noPasswordNote}>
    <ol>
      <li>{t.signIn.linkPrinted}</li>
      <li>
        {t.signIn.linkFile} <code>console-link.txt</code>
      </li>
      <li>
        {t.signIn.linkCommand} <code>vitrine admin password</code>
      </li>
    </ol>
    <p>{t.signIn.thenReload}</p>
  </Empty>
)

// Shown over the current view when a session has ended.
export function AgainDialog() {
  const again = signingInAgain.value
  const dialog = useModal(again !== null)
  // Escape does not close it: without a session, nothing behind it works.
  return (
    <dialog id="again" ref={dialog} aria-labelledby="again-title" onCancel={(event) => event.preventDefault()}>
      {again && (
        <>
          <h2 id="again-title">{t.signIn.expired}</h2>
          <p>{t.signIn.expiredLead}</p>
          <PasswordForm account={session.value.account ?? ''} place="again-" onDone={again.done} />
        </>
      )}
    </dialog>
  )
}
