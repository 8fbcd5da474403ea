// Creates, changes and removes accounts of the console, for the console and the command line alike. Input is text as typed; all
// mistakes come back at once. `by` names the author, for the audit.
import type { InputFault } from '../../keys/faults.ts'
import { isUnwritable } from '../../keys/key-values.ts'
import type { OrFaults } from '../../keys/keys.ts'
import { nearest } from '../../terminal/nearest.ts'
import { accountId, roles, type Account, type Role } from '../../state/console-access.ts'
import type { State } from '../../state/state.ts'
import { consoleFault } from './faults.ts'
import { makePassword, passwordFaults } from './password.ts'

export const longestName = 60

export const nameFaults = (name: string): InputFault[] =>
  name.length > longestName || isUnwritable(name) || !/[\p{L}\p{N}]/u.test(name)
    ? [consoleFault('name.account_invalid', { most: longestName })]
    : []

const isRole = (text: string): text is Role => (roles as readonly string[]).includes(text)

export const roleFaults = (text: string): InputFault[] =>
  isRole(text) ? [] : [consoleFault('role.invalid', { given: text, roles: roles.join(', ') })]

interface NewAccountInput {
  readonly name: string
  readonly role: string
  readonly password: string
  readonly repeat?: string | undefined
  // Where the password was typed.
  readonly address?: string
}

export type AccountOrFaults = OrFaults<{ readonly account: Account }>

export async function createAccount(state: State, input: NewAccountInput, by: string): Promise<AccountOrFaults> {
  const name = input.name.trim()
  const accounts = await state.listAccounts()
  const exists = consoleFault('name.account_exists', { name })
  const faults = [
    ...nameFaults(name),
    ...(accounts.some((each) => accountId(each.name) === accountId(name)) ? [exists] : []),
    ...roleFaults(input.role),
    ...(input.role === 'viewer' && accounts.length === 0 ? [consoleFault('role.first_account')] : []),
    ...passwordFaults(input.password, input.repeat),
  ]
  if (faults.length > 0 || !isRole(input.role)) return { faults }
  const account = await state.createAccount(name, input.role, await makePassword(input.password, input.address), by)
  // Another administrator has made it in the meantime.
  return account === 'exists' ? { faults: [exists] } : { account }
}

interface AccountInput {
  readonly role?: string | undefined
  readonly password?: string | undefined
  readonly repeat?: string | undefined
  readonly address?: string
}

export async function updateAccount(
  state: State,
  name: string,
  { role, password, repeat, address }: AccountInput,
  by: string,
): Promise<AccountOrFaults> {
  const faults = [
    ...(role === undefined ? [] : roleFaults(role)),
    ...(password === undefined ? [] : passwordFaults(password, repeat)),
  ]
  if (role === undefined && password === undefined) faults.push(consoleFault('account_unchanged'))
  if (faults.length > 0) return { faults }
  const changes = {
    role: role !== undefined && isRole(role) ? role : undefined,
    password: password === undefined ? undefined : await makePassword(password, address),
  }
  return orFaults(state, name, await state.updateAccount(name, changes, by))
}

export const removeAccount = async (state: State, name: string, by: string): Promise<AccountOrFaults> =>
  orFaults(state, name, await state.removeAccount(name, by))

async function orFaults(
  state: State,
  name: string,
  account: Account | 'last administrator' | null,
): Promise<AccountOrFaults> {
  if (account === 'last administrator') return { faults: [consoleFault('last_administrator', { name })] }
  if (account) return { account }
  const names = (await state.listAccounts()).map((each) => each.name)
  const meant = nearest(name, names)
  return { faults: [consoleFault('account_unknown', { name, meant: meant ?? '' })] }
}
