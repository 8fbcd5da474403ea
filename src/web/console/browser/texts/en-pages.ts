// What the page says in English: accounts, usage, names of data, and what can go wrong.

type Faults = Readonly<Record<string, (values: Readonly<Record<string, string | number>>) => string>>

// What the page itself finds, and what it says in other words than the service, whose sentence is for the command line.
const faults: Faults = {
  unreachable: () => 'The service cannot be reached. Check that it is running, then try again.',
  perhaps_done: () => 'The service did not answer. The change may have been made: check before you try again.',
  unknown: ({ status }) => `The service gave an unexpected answer (${status}). Reload the page.`,
  internal_error: () => 'The service failed. Try again; if it fails again, see the log of the service.',
  account_unknown: ({ name = '' }) => `There is no account “${name}”. It may have been removed.`,
  time_invalid: () => 'Enter a date as the field shows, or leave it empty.',
  'permissions.missing': () => 'Choose at least one kind of data.',
  'expires.invalid': () => 'Choose a valid date, or leave it empty.',
  rotation_under_way: () => 'Two codes already work. End the old one before you make another.',
  key_unknown: ({ key = '' }) => `There is no key ${key}. Choose one from the list of keys.`,
}

export const pages = {
  leave: {
    stay: 'Stay here',
    code: {
      title: 'Leave without saving the security code?',
      means: 'The security code is shown only here and only now. Once you leave, it cannot be shown again.',
      action: 'Leave anyway',
    },
    typed: {
      title: 'Leave without saving?',
      means: 'What you have typed here will be lost.',
      action: 'Leave without saving',
    },
  },
  accounts: {
    lead: 'Who may sign in to this console. Each person has their own account, so that the history names who did what.',
    roles: { administrator: 'Administrator', viewer: 'Viewer' },
    roleMeans: {
      administrator: 'An administrator can change everything, including accounts.',
      viewer: 'A viewer sees everything and changes nothing.',
    },
    last: 'Last sign-in',
    you: 'you',
    create: 'New account',
    submit: 'Create account',
    makeIt: { administrator: 'Make administrator', viewer: 'Make viewer' },
    roleTitle: {
      administrator: (name: string) => `Make ${name} an administrator?`,
      viewer: (name: string) => `Make ${name} a viewer?`,
    },
    signsOut: 'The account is signed out everywhere.',
    setPassword: 'Set password',
    passwordTitle: (name: string) => `Set a new password for ${name}?`,
    passwordMeans: 'Hand it over safely. The person can change it under “Your account”.',
    remove: 'Remove',
    removeTitle: (name: string) => `Remove the account of ${name}?`,
    removeMeans: 'The person is signed out and can no longer sign in.',
    removeKeeps: 'Keys that the person made keep working, and the history keeps the name.',
    made: (name: string) => `The account ${name} is made.`,
    changed: (name: string) => `The account ${name} is changed.`,
    removed: (name: string) => `The account ${name} is removed.`,
  },
  usage: {
    titleOf: (name: string) => `Usage of ${name}`,
    lead: 'How much each key reads, and what was refused. The last ten seconds may be missing.',
    span: 'Period',
    day: 'Last 24 hours',
    month: 'Last 30 days',
    year: 'Last 12 months',
    own: 'Your own period',
    requests: 'Requests',
    records: 'Records',
    refusals: 'Refused',
    answered: 'Answered',
    per: { hour: 'Requests per hour', day: 'Requests per day', month: 'Requests per month' },
    causes: {
      rate_limited: [
        'Rate limit',
        'The program sends more requests than its key may. Have it wait as long as the answer says, or raise the limit of the key.',
      ],
      not_allowed: [
        'Not allowed',
        'The key may not read what was asked for, or its sign-in has expired. Compare its permissions with what the program needs.',
      ],
      bad_request: [
        'Bad request',
        'The request has a mistake, which the answer names. The program’s developer can fix it.',
      ],
      not_found: ['Not found', 'The record does not exist or the key may not see it, or the address is mistyped.'],
      server_error: [
        'Server error',
        'The service could not answer, for example because the database was unavailable. See Health.',
      ],
    },
    partial: 'so far',
    lastPartial: 'The last bar, drawn lighter, has not ended yet.',
    choose: 'Point at a bar, or use the arrow keys, to read its values.',
    asTable: 'As a table',
    when: 'When',
    byCause: 'Refused, by cause',
    cause: 'Cause',
    whatToDo: 'What to do',
    noRefusals: 'No requests were refused in this period.',
    signIns: 'Refused sign-ins are not counted here; see',
    why: 'Refused because',
    byResource: 'By kind of data',
    resource: 'Data',
    changes: 'Change feed',
    other: 'Other requests',
    byKey: 'By key',
    key: 'Key',
    none: 'No requests in this period',
    noneNote: 'Create a key for a program, or choose a longer period.',
    unused: 'Unused permissions',
    unusedLead: (days: string) => `These keys may read more than they have read in ${days} days.`,
    unusedMore: 'One more key has unused permissions. All: | # more keys have unused permissions. All:',
    unusedNone: (days: string) =>
      `Every key has used all its permissions in the last ${days} days, or was given them later than that.`,
    gone: 'a deleted key',
  },
  faults,
}

export type PagesTexts = typeof pages
