// The routes for accounts. They call the same code as the command line.
import type { InputFault } from '../../keys/faults.ts'
import type { Account, ConsoleSession } from '../../state/console-access.ts'
import type { State } from '../../state/state.ts'
import { createAccount, removeAccount, updateAccount } from './accounts.ts'
import { json, refusedFor, textOf, type ConsoleAnswer, type ConsoleCall } from './exchange.ts'

const accountJson = (account: Account, session: ConsoleSession) => ({
  name: account.name,
  role: account.role,
  created_at: new Date(account.createdAt).toISOString(),
  last_sign_in_at: account.lastSignInAt === null ? null : new Date(account.lastSignInAt).toISOString(),
  is_self: account.name === session.account,
})

function refuse(faults: readonly InputFault[]): ConsoleAnswer {
  const code = faults[0]?.code
  if (code === 'last_administrator') return refusedFor(faults, 409, code)
  return refusedFor(faults, code === 'account_unknown' ? 404 : 400)
}

export async function listAccounts(state: State, session: ConsoleSession): Promise<ConsoleAnswer> {
  const accounts = await state.listAccounts()
  return json({ data: accounts.map((account) => accountJson(account, session)) })
}

export async function makeAccount(state: State, call: ConsoleCall, session: ConsoleSession): Promise<ConsoleAnswer> {
  const body = await call.body()
  const [name, role, password] = ['name', 'role', 'password'].map((field) => textOf(body?.[field]) ?? '')
  const repeat = textOf(body?.['repeat'])
  const input = { name: name ?? '', role: role ?? '', password: password ?? '', repeat, address: call.address }
  const made = await createAccount(state, input, session.by)
  return 'faults' in made ? refuse(made.faults) : json(accountJson(made.account, session), 201)
}

export async function changeAccount(
  state: State,
  call: ConsoleCall,
  name: string,
  session: ConsoleSession,
): Promise<ConsoleAnswer> {
  const body = await call.body()
  const [role, password, repeat] = ['role', 'password', 'repeat'].map((field) => textOf(body?.[field]))
  const made = await updateAccount(state, name, { role, password, repeat, address: call.address }, session.by)
  return 'faults' in made ? refuse(made.faults) : json(accountJson(made.account, session))
}

export async function endAccount(state: State, name: string, session: ConsoleSession): Promise<ConsoleAnswer> {
  const made = await removeAccount(state, name, session.by)
  return 'faults' in made ? refuse(made.faults) : { status: 204 }
}
