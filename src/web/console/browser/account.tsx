// The account view: change the password, end all sessions.
import { ask } from './ask.ts'
import { confirm } from './dialog.tsx'
import { ChosenInputs, credentialField, Input, SmallForm, useForm, type Typed } from './form.tsx'
import { t } from './language.ts'
import type { MakeView } from './router.tsx'
import { mayChange, session, signedOut } from './session.ts'
import { setPassword } from './sign-in.tsx'

export const accountView: MakeView = () => ({ title: () => t.account.title, body: <Account /> })

function Account() {
  const { role } = session.value
  const form = useForm<Typed>({
    initial: { current: '', chosen: '', repeat: '' },
    fieldOf: credentialField('chosen'),
    focus: 'field',
    async send(values) {
      const { current, chosen: password, repeat } = values
      await setPassword({ current, password, repeat })
      signedOut(t.signIn.passwordSet)
    },
  })
  return (
    <>
      <h1>{t.account.title}</h1>
      <p class="lead">
        {t.account.as} <strong>{session.value.account}</strong>
        {role && ` (${t.accounts.roles[role]})`}.
      </p>
      <h2>{t.account.password}</h2>
      <p>{t.account.passwordNote}</p>
      <SmallForm form={form} action={t.account.change} class="narrow-form">
        <Input form={form} name="current" label={t.account.current} type="password" autocomplete="current-password" />
        <ChosenInputs form={form} />
      </SmallForm>
      <h2>{t.account.sessions}</h2>
      <p>{t.account.sessionsNote}</p>
      {mayChange() && (
        <p>
          <button type="button" id="everywhere" onClick={() => void everywhere()}>
            {t.account.everywhere}
          </button>
        </p>
      )}
    </>
  )
}

async function everywhere() {
  const isDone = await confirm({
    title: t.account.everywhereTitle,
    means: [t.account.everywhereMeans],
    action: t.account.everywhere,
    isGrave: true,
    work: () => ask('DELETE', '/api/sessions'),
  })
  if (isDone) signedOut(t.signIn.everybodyOut)
}
