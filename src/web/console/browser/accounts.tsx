// Accounts of the console: who may sign in, as administrator or as viewer. Viewers see the list.
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { ask, get } from './ask.ts'
import { confirm } from './dialog.tsx'
import { ChosenInputs, credentialField, Input, SmallForm, useForm, type Typed } from './form.tsx'
import { moment, t } from './language.ts'
import { Action, Table } from './parts.tsx'
import { reload, type View } from './router.tsx'
import { mayChange } from './session.ts'

type Role = 'administrator' | 'viewer'

interface Account {
  readonly name: string
  readonly role: Role
  readonly created_at: string
  readonly last_sign_in_at: string | null
  readonly is_self: boolean
}

export async function accountsView(): Promise<View> {
  const { data } = await get<{ data: Account[] }>('/api/accounts')
  return { title: () => t.accounts.title, body: <Accounts accounts={data} /> }
}

function Accounts({ accounts }: { accounts: readonly Account[] }) {
  const [made, setMade] = useState(0)
  return (
    <>
      <h1>{t.accounts.title}</h1>
      <p class="lead">{t.accounts.lead}</p>
      <Table
        rows={accounts}
        keyOf={({ name }) => name}
        columns={[
          { name: t.accounts.name, cell: NameCell },
          { name: t.accounts.role, cell: ({ role }) => t.accounts.roles[role] },
          { name: t.accounts.created, cell: ({ created_at: at }) => moment(at) },
          { name: t.accounts.last, cell: ({ last_sign_in_at: at }) => (at === null ? t.page.never : moment(at)) },
          ...(mayChange() ? [{ name: '', cell: Actions }] : []),
        ]}
      />
      {mayChange() && (
        <>
          <h2>{t.accounts.create}</h2>
          <NewAccount key={made} onMade={() => setMade(made + 1)} />
        </>
      )}
    </>
  )
}

const NameCell = ({ name, is_self: isSelf }: Account) => (
  <>
    {name}
    {isSelf && <span class="note"> ({t.accounts.you})</span>}
  </>
)

// One's own account is changed elsewhere: these end the sessions of an account.
function Actions(account: Account) {
  if (account.is_self) return <a href="#account">{t.page.account}</a>
  const other = account.role === 'administrator' ? 'viewer' : 'administrator'
  return (
    <span class="row-actions" data-of={account.name}>
      <Action class="role" isAsking work={() => changeRole(account, other)}>
        {t.accounts.makeIt[other]}
      </Action>
      <Action class="set-password" isAsking work={() => setPasswordOf(account)}>
        {t.accounts.setPassword}
      </Action>
      <Action class="remove grave-quiet" isAsking work={() => remove(account)}>
        {t.accounts.remove}
      </Action>
    </span>
  )
}

const pathOf = ({ name }: Account) => `/api/accounts/${encodeURIComponent(name)}`

async function changeRole(account: Account, role: Role) {
  const isDone = await confirm({
    title: t.accounts.roleTitle[role](account.name),
    means: [t.accounts.roleMeans[role], t.accounts.signsOut],
    action: t.accounts.makeIt[role],
    work: () => ask('PATCH', pathOf(account), { role }),
  })
  if (isDone) await reload(t.accounts.changed(account.name))
}

const chosen = signal<Typed>({})

const ChosenPassword = () => (
  <ChosenInputs
    form={{
      values: chosen.value,
      set: (change) => (chosen.value = { ...chosen.value, ...change } as Typed),
      faultOf: () => '',
    }}
  />
)

async function setPasswordOf(account: Account) {
  chosen.value = { chosen: '', repeat: '' }
  const isDone = await confirm({
    title: t.accounts.passwordTitle(account.name),
    means: [t.accounts.passwordMeans, t.accounts.signsOut],
    more: <ChosenPassword />,
    action: t.accounts.setPassword,
    work: async () => {
      const { chosen: password, repeat } = chosen.value
      await ask('PATCH', pathOf(account), { password, repeat })
    },
  })
  chosen.value = {}
  if (isDone) await reload(t.accounts.changed(account.name))
}

async function remove(account: Account) {
  const isDone = await confirm({
    title: t.accounts.removeTitle(account.name),
    means: [t.accounts.removeMeans, t.accounts.removeKeeps],
    action: t.accounts.remove,
    isGrave: true,
    work: () => ask('DELETE', pathOf(account)),
  })
  if (isDone) await reload(t.accounts.removed(account.name))
}

function NewAccount({ onMade }: { onMade: () => void }) {
  const form = useForm<Typed>({
    initial: { name: '', role: 'viewer', chosen: '', repeat: '' },
    fieldOf: credentialField('chosen'),
    focus: 'field',
    async send(values) {
      const { name = '', role, chosen: password, repeat } = values
      await ask('POST', '/api/accounts', { name, role, password, repeat })
      onMade()
      await reload(t.accounts.made(name))
    },
  })
  return (
    <SmallForm form={form} action={t.accounts.submit} class="narrow-form">
      <Input form={form} name="name" label={t.accounts.name} maxLength={60} autocomplete="off" />
      <div class="input">
        <label for="role">{t.accounts.role}</label>
        <select
          id="role"
          value={form.values['role']}
          aria-describedby="role-note"
          onInput={({ currentTarget }) => form.set({ role: currentTarget.value })}
        >
          <option value="viewer">{t.accounts.roles.viewer}</option>
          <option value="administrator">{t.accounts.roles.administrator}</option>
        </select>
        <span class="note" id="role-note">
          {t.accounts.roleMeans[form.values['role'] as Role]}
        </span>
      </div>
      <ChosenInputs form={form} />
    </SmallForm>
  )
}
