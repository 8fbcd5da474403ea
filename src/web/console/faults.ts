// Every refusal of the console, as a code and a sentence. The page has texts for the codes in its other languages.
import { faultMaker, type FaultValues } from '../../keys/faults.ts'

const wait = ({ seconds }: FaultValues) => `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`

export const consoleSentences = {
  'name.person_missing': ({ most }: FaultValues) => `Enter your name, 1 to ${most} characters.`,
  'name.account_invalid': ({ most }: FaultValues) =>
    `The name of an account needs 1 to ${most} printable characters, with at least one letter or digit.`,
  'name.account_exists': ({ name }: FaultValues) =>
    `There is already an account ${JSON.stringify(name)}. Choose another name.`,
  'role.invalid': ({ given, roles }: FaultValues) => `There is no role ${JSON.stringify(given)}. Roles: ${roles}.`,
  'role.first_account': () => 'The first account is an administrator; add viewers after it.',
  'current.wrong': () => 'The current password is wrong. Nothing was changed.',
  'password.missing': () => 'Enter the password.',
  'password.short': ({ fewest }: FaultValues) => `The password is too short: it needs ${fewest} characters or more.`,
  'password.long': ({ most }: FaultValues) => `The password is too long: ${most} characters at most.`,
  'password.simple': () => 'The password is too simple: use more than three different characters.',
  'password.wrong': () =>
    'Wrong name or password. After five wrong attempts you have to wait before each further attempt, up to a minute.',
  'password.too_many_attempts': (values: FaultValues) =>
    `Too many wrong passwords. Try again in ${wait(values)}; until then the right password is refused, too.`,
  'repeat.different': () => 'The two passwords are different.',
  signed_out: () => 'Sign in first.',
  foreign_page: () => 'This was sent by a page of another site.',
  not_found: () => 'This page does not exist. It may have been removed.',
  method_not_allowed: ({ allowed }: FaultValues) => `Only ${allowed} is answered here.`,
  internal_error: () => 'The service failed; its log says why.',
  account_unknown: ({ name, meant }: FaultValues) =>
    `There is no account ${JSON.stringify(name)}. ${meant ? `Did you mean ${JSON.stringify(meant)}?` : '"vitrine admin list" shows them.'}`,
  last_administrator: ({ name }: FaultValues) =>
    `${JSON.stringify(name)} is the last administrator. Make another account an administrator first.`,
  account_unchanged: () => 'Give a role or a password as text.',
  viewer_only: () => 'A viewer sees everything and changes nothing. Ask an administrator.',
  rate_limited: (values: FaultValues) => `Too many attempts. Try again in ${wait(values)}.`,
  link_used: () =>
    'This link was already used, or has expired. Make an account on the machine of the service with "vitrine admin password".',
  enabled_invalid: () => 'enabled is true or false.',
  time_invalid: ({ name }: FaultValues) => `${name} is a time such as 2026-10-01T00:00:00Z.`,
  span_invalid: ({ most }: FaultValues) => `The period is too long: ${most} days at most.`,
  too_many_rows: ({ most }: FaultValues) =>
    `The file would have more than ${most} rows. Choose a shorter period, or one key.`,
  before_invalid: () => 'before is the id of an entry.',
  action_unknown: ({ given }: FaultValues) => `The history has no action ${JSON.stringify(given)}. Choose another.`,
} as const

export type ConsoleCode = keyof typeof consoleSentences
export const consoleFault = faultMaker(consoleSentences)
