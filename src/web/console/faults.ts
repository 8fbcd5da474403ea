// Every refusal of the console, as a code and a sentence. The page has a text for each code in each of its languages.
import { faultMaker, type FaultValues } from '../../keys/faults.ts'

const wait = ({ seconds }: FaultValues) => `wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`

export const consoleSentences = {
  signed_out: () => 'Sign in first.',
  foreign_page: () => 'This was sent by a page of another site.',
  not_found: () => 'There is no such page.',
  method_not_allowed: ({ allowed }: FaultValues) => `Only ${allowed} is answered here.`,
  internal_error: () => 'It could not be done; the log tells why.',
  password_missing: () => 'The password is missing.',
  password_short: ({ fewest }: FaultValues) => `The password needs ${fewest} characters or more.`,
  password_long: ({ most }: FaultValues) => `The password has ${most} characters at most.`,
  passwords_differ: () => 'The two passwords are different.',
  password_simple: () => 'The password needs more than three different characters.',
  who_missing: ({ most }: FaultValues) =>
    `Say who you are, in 1 to ${most} characters: the record of what was done shows it.`,
  wrong_password: () => 'The name or the password is wrong.',
  wrong_present_password: () => 'That is not the current password.',
  account_name_invalid: ({ most }: FaultValues) =>
    `The name of an account has 1 to ${most} printable characters, and at least one letter or digit.`,
  account_exists: ({ name }: FaultValues) => `There is an account ${JSON.stringify(name)} already.`,
  account_unknown: ({ name, meant }: FaultValues) =>
    `There is no account ${JSON.stringify(name)}. ${meant ? `Did you mean ${JSON.stringify(meant)}?` : '"vitrine admin list" shows them.'}`,
  role_invalid: ({ given, roles }: FaultValues) => `There is no role ${JSON.stringify(given)}. Roles: ${roles}.`,
  last_administrator: ({ name }: FaultValues) =>
    `${JSON.stringify(name)} is the last administrator: make another one first.`,
  first_administrator: () => 'The first account is an administrator; add viewers after it.',
  account_unchanged: () => 'Give a role or a password as text.',
  viewer_only: () => 'A viewer can look at everything and change nothing.',
  too_many_attempts: (values: FaultValues) => `Too many wrong tries: ${wait(values)}`,
  rate_limited: (values: FaultValues) => `Too many tries: ${wait(values)}`,
  link_used: () => 'This link was used, or has ended. "vitrine admin password" makes an account, too.',
  enabled_invalid: () => 'enabled is true or false.',
  time_invalid: ({ name }: FaultValues) => `${name} is a time such as 2026-10-01T00:00:00Z.`,
  span_invalid: ({ most }: FaultValues) => `From and to are at most ${most} days apart.`,
  too_many_rows: ({ most }: FaultValues) =>
    `The file would have more than ${most} rows: choose a shorter time, or one key.`,
  before_invalid: () => 'before is the id of an entry.',
  act_unknown: ({ given }: FaultValues) => `There is no act ${JSON.stringify(given)}.`,
} as const

export type ConsoleCode = keyof typeof consoleSentences
export const consoleFault = faultMaker(consoleSentences)
