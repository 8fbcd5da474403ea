// What the page says in English: names of data, and what can go wrong.

type Values = Readonly<Record<string, string | number>>

const wait = (seconds: number) => `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`

export const words = {
  permissions: {
    'products:read': ['Products', 'Names, codes, prices, stock'],
    'customers:read': ['Customers', 'Names, addresses, telephones'],
    'vendors:read': ['Vendors', 'Whom you buy from'],
    'quotes:read': ['Quotes', 'Offers to customers'],
    'sales-orders:read': ['Sales orders', 'What customers have ordered'],
    'invoices:read': ['Invoices', 'What was sold, line by line'],
    'credit-memos:read': ['Credit memos', 'What was given back'],
    'payments:read': ['Payments', 'What customers have paid'],
    'purchase-orders:read': ['Purchase orders', 'What you have ordered'],
    'receivings:read': ['Receivings', 'What has arrived from vendors'],
    'transfers:read': ['Transfers', 'What was moved between stores'],
    'adjustments:read': ['Adjustments', 'Corrections of stock'],
    'reference:read': ['Lists', 'Stores, departments, price lists, kinds of customers'],
    'costs:read': ['Costs', 'What goods cost you'],
    'customers:financial': ['Balances', 'What customers owe, and their credit limits'],
  },
  resources: {
    products: 'Products',
    customers: 'Customers',
    vendors: 'Vendors',
    quotes: 'Quotes',
    'sales-orders': 'Sales orders',
    invoices: 'Invoices',
    'credit-memos': 'Credit memos',
    payments: 'Payments',
    'purchase-orders': 'Purchase orders',
    receivings: 'Receivings',
    transfers: 'Transfers',
    adjustments: 'Adjustments',
    stores: 'Stores',
    departments: 'Departments',
    'sub-departments': 'Sub-departments',
    'price-lists': 'Price lists',
    'customer-types': 'Kinds of customers',
  },
  faults: {
    unreachable: () => 'The service cannot be reached. See whether it is running, and try again.',
    perhaps_done: () => 'The service did not answer. It may have been done all the same: look before you do it again.',
    unknown: ({ status }: Values) =>
      `The service answered in a way this page does not know (${status}). Reload the page.`,
    signed_out: () => 'Your session has ended. Sign in again.',
    foreign_page: () => 'This was sent by a page of another site, so it was refused.',
    not_found: () => 'There is no such page. It may have been taken away meanwhile.',
    method_not_allowed: ({ allowed }: Values) => `The service only answers ${allowed} here. Reload the page.`,
    internal_error: () => 'The service could not do it. Try again; if it stays so, the log of the service tells why.',
    password_missing: () => 'Fill in the password.',
    password_short: ({ fewest = 0 }: Values) => `The password is too short: it needs ${fewest} characters or more.`,
    password_long: ({ most = 0 }: Values) => `The password is too long: ${most} characters at most.`,
    password_simple: () => 'The password is too simple: use more than three different characters.',
    who_missing: ({ most = 0 }: Values) => `Say who you are, in 1 to ${most} characters.`,
    wrong_password: () =>
      'That is not the password. After five wrong ones you have to wait before each further try, a minute at most.',
    wrong_present_password: () => 'That is not the present password. Nothing was changed.',
    too_many_attempts: ({ seconds }: Values) =>
      `Too many wrong passwords. Try again in ${wait(Number(seconds))}; until then even the right one is refused.`,
    rate_limited: ({ seconds }: Values) => `Too many tries in a short time. Try again in ${wait(Number(seconds))}.`,
    link_used: () =>
      'This link was used already, or has ended. Set the password on the machine of the service with “vitrine admin password”.',
    changed_meanwhile: ({ name }: Values) =>
      `Somebody else has changed ${name} since you opened it. Nothing was saved: look at what it is now, and change it again.`,
    enabled_invalid: () => 'The service did not understand whether to turn it on or off. Reload the page.',
    time_invalid: () => 'That is not a day. Write it as the field shows, or leave it empty.',
    span_invalid: ({ most = 0 }: Values) => `That is too long a time: ${most} days at most.`,
    before_invalid: () => 'The service did not understand from where to go on. Reload the page.',
    act_unknown: () => 'There is nothing of that kind in the history. Choose another.',
    name_missing: () => 'Say what the key is for.',
    name_invalid: ({ most = 0 }: Values) => `The name needs 1 to ${most} characters, in one line.`,
    permissions_missing: () => 'Choose at least one kind of data to read.',
    permission_unknown: ({ given = '' }: Values) => `There is no permission “${given}”. Reload the page.`,
    permission_mistyped: ({ given = '', meant = '' }: Values) =>
      `There is no permission “${given}”; perhaps ${meant} is meant.`,
    stores_invalid: () => 'Choose stores from the list.',
    price_list_invalid: () => 'Choose a price list from the list.',
    rate_invalid: ({ most = 0 }: Values) => `Requests a minute is a whole number from 1 to ${most}.`,
    expires_invalid: () => 'Choose a day in the calendar, or leave it empty.',
    expires_past: () => 'That day is over. Choose today or a day to come.',
    addresses_missing: () => 'Fill in an address such as 203.0.113.7, or leave the field empty.',
    addresses_invalid: ({ given = '' }: Values) =>
      `“${given}” is neither an address nor a range, such as 203.0.113.7 or 198.51.100.0/24.`,
    addresses_prefix: ({ given = '', most = 0 }: Values) =>
      `What follows the slash in “${given}” is not a number from 0 to ${most}.`,
    addresses_host_bits: ({ given = '', range = '', one = '' }: Values) =>
      `“${given}” is not the beginning of a range. Write ${range} for the whole range, or ${one} for this address alone.`,
    addresses_many: ({ most = 0 }: Values) => `That is too many: ${most} addresses and ranges at most.`,
    overlap_invalid: () => 'Choose from the list how long both codes work.',
    rotation_under_way: () => 'Two codes work already. End the old one before you make another.',
    no_rotation: () => 'The old code has ended already: only one code works.',
    enabled_and_disabled: () => 'A key is either paused or not.',
    nothing_to_change: () => 'Nothing was changed.',
    key_revoked: () => 'This key has been revoked meanwhile and cannot be changed any more.',
    key_unknown: ({ key = '' }: Values) => `There is no key ${key}. Choose one from the list of keys.`,
    key_mistyped: ({ key = '', meant = '' }: Values) => `There is no key ${key}; perhaps ${meant} is meant.`,
  },
}

export type WordsTexts = typeof words
