// The account view: change the password, end all sessions.
import { Act } from './act.tsx'
import { ask } from './ask.ts'
import { ChosenInputs, Input, SmallForm, useSmallForm } from './form.tsx'
import { t } from './language.ts'
import type { MakeView } from './router.tsx'
import { mayChange, session, signedOut } from './session.ts'
import { setPassword } from './sign-in.tsx'

export const accountView: MakeView = () => ({ title: () => t.page.account, body: <Account /> })

function Account() {
  const { account, role } = session.value
  const form = useSmallForm({ current: '', chosen: '', repeat: '' }, async ({ current, chosen: password, repeat }) => {
    await setPassword({ current, password, repeat })
    signedOut(t.signIn.passwordSet)
  })
  return (
    <>
      <p class="lead">
        {t.account.as} <strong>{account}</strong>
        {role && ` (${t.accounts.roles[role]})`}.
      </p>
      <h2>{t.account.password}</h2>
      <p>{t.account.passwordNote}</p>
      <SmallForm form={form} action={t.account.password}>
        <Input form={form} name="current" label={t.account.current} type="password" autocomplete="current-password" />
        <ChosenInputs form={form} />
      </SmallForm>
      <h2>{t.account.sessions}</h2>
      <p>{t.account.sessionsNote}</p>
      {mayChange() && (
        <Act
          id="everywhere"
          action={t.account.everywhere}
          question={{ title: t.account.everywhere, means: [t.account.everywhereMeans], isGrave: true }}
          work={() => ask('DELETE', '/api/sessions')}
          done={() => signedOut(t.signIn.everybodyOut)}
        />
      )}
    </>
  )
}
