// Accounts of the console: how they are read, which changes are refused, what the audit says.
import { accountChanged, consoleActor, passwordSet, type NewAuditEntry } from './audit.ts'
import type { Account, AccountChanges, ConsoleSession, Role } from './console-access.ts'

// Names that differ only in case, or in how letters are composed, are one account.
export const accountId = (name: string): string => name.normalize('NFC').toLowerCase()

export const readAccount = ([name, role, createdAt, lastSignInAt]: readonly unknown[]): Account => ({
  name: String(name),
  role: readRole(role),
  createdAt: Number(createdAt),
  lastSignInAt: lastSignInAt === null ? null : Number(lastSignInAt),
})

// A role that is not known may change nothing.
const readRole = (cell: unknown): Role => (cell === 'administrator' ? cell : 'viewer')

export const readSession = (name: unknown, role: unknown, startedAt: number): ConsoleSession => ({
  account: String(name),
  by: consoleActor(String(name)),
  role: readRole(role),
  startedAt,
})

export const newAccount = (name: string, role: Role, createdAt: number): Account => ({
  name,
  role,
  createdAt,
  lastSignInAt: null,
})

// `administrators`: how many there are.
export const isLastAdministrator = ({ role }: Account, administrators: number): boolean =>
  role === 'administrator' && administrators <= 1

export function decideAccountChange(
  account: Account,
  { role = account.role, password }: AccountChanges,
  administrators: number,
): { readonly next: Account; readonly audit: readonly NewAuditEntry[] } | 'last administrator' {
  const next = { ...account, role }
  const isChanged = role !== account.role
  if (isChanged && isLastAdministrator(account, administrators)) return 'last administrator'
  return {
    next,
    audit: [...(isChanged ? [accountChanged(account, next)] : []), ...(password ? [passwordSet(account)] : [])],
  }
}
