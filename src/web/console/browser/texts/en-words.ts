// What the page says in English: names of data, and what can go wrong.

type Faults = Readonly<Record<string, (values: Readonly<Record<string, string | number>>) => string>>

const wait = (seconds: number) => `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`

export const words = {
  permissions: {
    'products:read': ['Products', 'Names, codes, prices, stock'],
    'customers:read': ['Customers', 'Names, addresses, phone numbers'],
    'vendors:read': ['Vendors', 'The companies you buy from'],
    'quotes:read': ['Quotes', 'Offers to customers'],
    'sales-orders:read': ['Sales orders', 'What customers have ordered'],
    'invoices:read': ['Invoices', 'What was sold, line by line'],
    'credit-memos:read': ['Credit memos', 'Refunds and returned goods'],
    'payments:read': ['Payments', 'What customers have paid'],
    'purchase-orders:read': ['Purchase orders', 'What you have ordered'],
    'receivings:read': ['Receivings', 'What has arrived from vendors'],
    'transfers:read': ['Transfers', 'What was moved between stores'],
    'adjustments:read': ['Adjustments', 'Corrections of stock'],
    'reference:read': ['Lists', 'Stores, departments, price lists, customer types'],
    'costs:read': ['Costs', 'What goods cost you'],
    'customers:financial': ['Balances', 'What customers owe, and their credit limits'],
  },
  // Those without a permission of their own.
  resources: {
    stores: 'Stores',
    departments: 'Departments',
    'sub-departments': 'Sub-departments',
    'price-lists': 'Price lists',
    'customer-types': 'Customer types',
  },
  faults: {
    unreachable: () => 'The service cannot be reached. Check that it is running, then try again.',
    perhaps_done: () => 'The service did not answer. The change may have been made: check before you try again.',
    unknown: ({ status }) => `The service gave an unexpected answer (${status}). Reload the page.`,
    signed_out: () => 'Your session has ended. Sign in again.',
    not_found: () => 'This page does not exist. It may have been removed.',
    internal_error: () => 'The service failed. Try again; if it fails again, see the log of the service.',
    password_missing: () => 'Enter the password.',
    password_short: ({ fewest = 0 }) => `The password is too short: it needs ${fewest} characters or more.`,
    password_long: ({ most = 0 }) => `The password is too long: ${most} characters at most.`,
    passwords_differ: () => 'The two passwords are different.',
    password_simple: () => 'The password is too simple: use more than three different characters.',
    who_missing: ({ most = 0 }) => `Enter your name, 1 to ${most} characters.`,
    wrong_password: () =>
      'Wrong name or password. After five wrong attempts you have to wait before each further attempt, up to a minute.',
    wrong_present_password: () => 'The current password is wrong. Nothing was changed.',
    account_name_invalid: ({ most = 0 }) =>
      `The name of an account needs 1 to ${most} characters, with at least one letter or digit.`,
    account_exists: ({ name = '' }) => `There is already an account “${name}”. Choose another name.`,
    account_unknown: ({ name = '' }) => `There is no account “${name}”. It may have been removed.`,
    last_administrator: ({ name = '' }) =>
      `${name} is the last administrator. Make another account an administrator first.`,
    viewer_only: () => 'You are a viewer: you can see everything and change nothing. Ask an administrator.',
    too_many_attempts: ({ seconds }) =>
      `Too many wrong passwords. Try again in ${wait(Number(seconds))}; until then the right password is refused, too.`,
    rate_limited: ({ seconds }) => `Too many attempts. Try again in ${wait(Number(seconds))}.`,
    link_used: () =>
      'This link was already used, or has expired. Make an account on the machine of the service with “vitrine admin password”.',
    changed_meanwhile: ({ name }) =>
      `Another administrator changed ${name} after you opened it. Nothing was saved: review the current values, then make your change again.`,
    time_invalid: () => 'Enter a date as the field shows, or leave it empty.',
    span_invalid: ({ most = 0 }) => `The period is too long: ${most} days at most.`,
    too_many_rows: ({ most = 0 }) => `The file would have more than ${most} rows. Choose a shorter period.`,
    act_unknown: () => 'The history has no entries of this type. Choose another.',
    name_missing: () => 'Enter a name for the key.',
    name_invalid: ({ most = 0 }) => `The name needs 1 to ${most} characters on one line.`,
    permissions_missing: () => 'Choose at least one kind of data.',
    rate_invalid: ({ most = 0 }) => `Requests a minute is a whole number from 1 to ${most}.`,
    expires_invalid: () => 'Choose a valid date, or leave it empty.',
    expires_past: () => 'This day has passed. Choose today or a later day.',
    addresses_invalid: ({ given = '' }) =>
      `“${given}” is neither an address nor a range, such as 203.0.113.7 or 198.51.100.0/24.`,
    addresses_prefix: ({ given = '', most = 0 }) =>
      `The number after the slash in “${given}” must be from 0 to ${most}.`,
    addresses_host_bits: ({ given = '', range = '', one = '' }) =>
      `“${given}” is not the start of a range. Write ${range} for the whole range, or ${one} for this address only.`,
    addresses_many: ({ most = 0 }) => `Too many: ${most} addresses and ranges at most.`,
    rotation_under_way: () => 'Two codes already work. End the old one before you make another.',
    no_rotation: () => 'The old code has already ended: only one code works.',
    nothing_to_change: () => 'Nothing was changed.',
    key_revoked: () => 'This key was revoked and can no longer be changed.',
    key_unknown: ({ key = '' }) => `There is no key ${key}. Choose one from the list of keys.`,
    key_mistyped: ({ key = '', meant = '' }) => `There is no key ${key}; did you mean ${meant}?`,
  } satisfies Faults,
}

export type WordsTexts = typeof words
