// What the page says in English: usage, and before something typed is lost.

export const pages = {
  leave: {
    code: 'Leave without saving the security code?',
    codeMeans: 'The security code is shown only here and only now. Once you leave, it cannot be shown again.',
    codeAction: 'Leave anyway',
    typed: 'Leave without saving?',
    typedMeans: 'What you have typed here will be lost.',
    typedAction: 'Leave without saving',
  },
  usage: {
    title: 'Usage',
    titleOf: (name: string) => `Usage of ${name}`,
    lead: 'How much each key reads, and what was refused. The last ten seconds may be missing.',
    span: 'Period',
    day: 'Last 24 hours',
    month: 'Last 30 days',
    year: 'Last 12 months',
    own: 'Your own period',
    show: 'Show',
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
        'The service could not answer, for example while the database was away. See Health.',
      ],
    },
    partial: 'so far',
    lastPartial: 'The last bar, drawn lighter, is not over yet.',
    choose: 'Point at a bar, or use the arrow keys, to read its values.',
    asTable: 'As a table',
    when: 'When',
    byCause: 'Refused, by cause',
    cause: 'Cause',
    whatToDo: 'What to do',
    noRefusals: 'No requests were refused in this period.',
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
    unusedMore: (count: number, shown: string) =>
      count === 1 ? 'One more key has unused permissions. All:' : `${shown} more keys have unused permissions. All:`,
    unusedNone: (days: string) =>
      `Every key has used all its permissions in the last ${days} days, or was given them later than that.`,
    gone: 'a deleted key',
  },
}

export type PagesTexts = typeof pages
