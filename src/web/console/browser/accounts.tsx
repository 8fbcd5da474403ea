// The list of accounts, which administrators change; and the user's own account: change the password, end all sessions.
import { ActionButton } from './action.tsx'
import { ask, get, mayChange, session, signedOut } from './ask.ts'
import type { Role } from '../../../state/console-access.ts'
import type { Account, Data } from '../answers.ts'
import { NewPasswordInputs, Input, SmallForm, useForm, useTyped } from './form.tsx'
import { fill, moment, t } from './language.ts'
import { Table } from './parts.tsx'
import { reload, type MakeView } from './router.tsx'
import { setPassword } from './sign-in.tsx'

export const accountsView: MakeView = async () => {
  const { data } = await get<Data<Account>>('/api/accounts')
  return () => ({ title: t.nav.accounts, lead: t.accounts.lead, body: <Accounts accounts={data} /> })
}

const Accounts = ({ accounts }: { accounts: readonly Account[] }) => (
  <>
    <Table
      rows={accounts}
      keyOf={({ name }) => name}
      columns={[
        { name: t.fields.name, cell: NameCell },
        { name: t.fields.role, cell: ({ role }) => t.accounts.roles[role] },
        { name: t.fields.created, cell: ({ created_at: at }) => moment(at) },
        { name: t.accounts.last, cell: ({ last_sign_in_at: at }) => (at === null ? t.page.never : moment(at)) },
        ...(mayChange() ? [{ name: '', cell: Actions }] : []),
      ]}
    />
    {mayChange() && (
      <>
        <h2>{t.accounts.create}</h2>
        <NewAccount />
      </>
    )}
  </>
)

const NameCell = ({ name, is_self: isSelf }: Account) => (
  <>
    {name}
    {isSelf && <span class="note"> ({t.accounts.you})</span>}
  </>
)

// These actions end the sessions of the account; the user's own account has a view of its own.
function Actions({ name, role, is_self: isSelf }: Account) {
  if (isSelf) return <a href="#account">{t.page.account}</a>
  const path = `/api/accounts/${encodeURIComponent(name)}`
  const other = role === 'administrator' ? 'viewer' : 'administrator'
  return (
    <span class="row-actions" data-of={name}>
      <ActionButton
        class="role"
        text={t.accounts.makeIt[other]}
        question={fill(t.accounts.roleTitle[other], { name })}
        means={[t.accounts.roleMeans[other], t.accounts.signsOut]}
        work={() => ask('PATCH', path, { role: other })}
        done={fill(t.accounts.changed, { name })}
      />
      <ActionButton
        class="set-password"
        text={t.accounts.setPassword}
        question={fill(t.accounts.passwordTitle, { name })}
        means={[t.accounts.passwordMeans, t.accounts.signsOut]}
        more={<NewPassword />}
        work={(typed) => ask('PATCH', path, Object.fromEntries(typed))}
        done={fill(t.accounts.changed, { name })}
      />
      <ActionButton
        class="remove grave"
        text={t.accounts.remove}
        question={fill(t.accounts.removeTitle, { name })}
        means={[t.accounts.removeMeans, t.accounts.removeKeeps]}
        isGrave
        work={() => ask('DELETE', path)}
        done={fill(t.accounts.removed, { name })}
      />
    </span>
  )
}

const NewPassword = () => <NewPasswordInputs form={useTyped({ password: '', repeat: '' })} place="ask-" />

const blank = { name: '', role: 'viewer', password: '', repeat: '' }

function NewAccount() {
  const form = useForm(blank, async (values) => {
    await ask('POST', '/api/accounts', values)
    form.set(blank)
    await reload(fill(t.accounts.made, { name: values.name }))
  })
  return (
    <SmallForm form={form} action={t.accounts.submit}>
      <Input form={form} name="name" label={t.fields.name} maxLength={60} autocomplete="off" />
      <Input
        form={form}
        name="role"
        label={t.fields.role}
        note={t.accounts.roleMeans[form.values.role as Role]}
        options={Object.entries(t.accounts.roles)}
      />
      <NewPasswordInputs form={form} />
    </SmallForm>
  )
}

export const accountView: MakeView = () => () => ({ title: t.page.account, body: <OwnAccount /> })

function OwnAccount() {
  const { account, role } = session.value
  const form = useForm({ current: '', password: '', repeat: '' }, async (values) => {
    await setPassword(values)
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
        <NewPasswordInputs form={form} />
      </SmallForm>
      <h2>{t.account.sessions}</h2>
      <p>{t.account.sessionsNote}</p>
      {mayChange() && (
        <ActionButton
          id="everywhere"
          text={t.account.everywhere}
          question={t.account.everywhere}
          means={[t.account.everywhereMeans]}
          isGrave
          work={() => ask('DELETE', '/api/sessions')}
          done={() => signedOut(t.signIn.everybodyOut)}
        />
      )}
    </>
  )
}
