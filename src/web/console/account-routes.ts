// The routes for accounts. They call the same code as the command line.
import type { Account, ConsoleSession } from '../../state/console-access.ts'
import { createAccount, removeAccount, updateAccount, type AccountOrFaults } from './accounts.ts'
import type { Account as AccountAnswer, Data } from './answers.ts'
import type { Reply } from '../../http/exchange.ts'
import { json, readObject, refusedFor, textOf, timeOf } from './exchange.ts'
import type { Route } from './request.ts'

const accountJson = (account: Account, session: ConsoleSession): AccountAnswer => ({
  name: account.name,
  role: account.role,
  created_at: timeOf(account.createdAt),
  last_sign_in_at: timeOf(account.lastSignInAt),
  is_self: account.name === session.account,
})

function answer(made: AccountOrFaults, session: ConsoleSession, status = 200): Reply {
  if (!('faults' in made)) return json(accountJson(made.account, session), status)
  const code = made.faults[0]?.code
  if (code === 'last_administrator') return refusedFor(made.faults, 409, code)
  return refusedFor(made.faults, code === 'account_unknown' ? 404 : 400)
}

export const listAccounts: Route = async ({ state }, { session }) => {
  const accounts = await state.listAccounts()
  return json({ data: accounts.map((account) => accountJson(account, session)) } satisfies Data<AccountAnswer>)
}

export const makeAccount: Route = async ({ state }, { call, session }) => {
  const body = await readObject(call)
  const [name = '', role = '', password = ''] = ['name', 'role', 'password'].map((field) => textOf(body?.[field]))
  const input = { name, role, password, repeat: textOf(body?.['repeat']), address: call.address }
  return answer(await createAccount(state, input, session.by), session, 201)
}

export const changeAccount: Route = async ({ state }, { call, subject, session }) => {
  const body = await readObject(call)
  const [role, password, repeat] = ['role', 'password', 'repeat'].map((field) => textOf(body?.[field]))
  const input = { role, password, repeat, address: call.address }
  return answer(await updateAccount(state, subject, input, session.by), session)
}

export const endAccount: Route = async ({ state }, { subject, session }) => {
  const made = await removeAccount(state, subject, session.by)
  return 'faults' in made ? answer(made, session) : { status: 204, headers: {}, body: '' }
}
