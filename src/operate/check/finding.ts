// Every kind of finding of `vitrine check`, with its severity and engines. Tests hold docs/check.md to this table, and make
// each fault once.

// fails: the service cannot serve, or would answer wrongly. warns: it works, with surprising results. notes: good to know.
export const severities = ['fails', 'warns', 'notes'] as const
export type Severity = (typeof severities)[number]

export type Engines = 'both' | 'sqlite' | 'postgres'

interface FindingKind {
  readonly severity: Severity
  readonly engines: Engines
}

const kind = (severity: Severity, engines: Engines = 'both'): FindingKind => ({ severity, engines })

export const findingKinds = {
  // Structure.
  cannot_open: kind('fails'),
  relation_missing: kind('fails'),
  relation_refuses: kind('fails'),
  no_right_to_read: kind('fails', 'postgres'),
  column_missing: kind('fails'),
  column_not_recorded: kind('warns'),
  column_type: kind('fails'),
  declared_type: kind('warns', 'sqlite'),
  empty_relation: kind('notes'),
  // Keys and values.
  key_empty: kind('fails'),
  key_twice: kind('fails'),
  key_below_one: kind('warns'),
  wrong_value: kind('warns'),
  not_a_time: kind('warns'),
  zero_date: kind('notes', 'sqlite'),
  time_with_zone: kind('warns', 'sqlite'),
  big_integer: kind('warns'),
  unknown_code: kind('warns'),
  unknown_currency: kind('warns'),
  not_exact: kind('warns'),
  // What a copy does not take over from its source.
  kept_out: kind('warns'),
  copy_waits: kind('warns'),
  amount_changed: kind('warns'),
  // Times.
  updated_at_empty: kind('warns'),
  updated_at_future: kind('warns'),
  updated_at_before_created: kind('warns'),
  updated_at_behind: kind('warns'),
  updated_at_constant: kind('warns'),
  date_future: kind('warns'),
  time_zone: kind('notes'),
  time_zone_differs: kind('warns'),
  server_time_zone: kind('warns', 'postgres'),
  clocks_apart: kind('warns', 'postgres'),
  // References and totals.
  in_both: kind('notes'),
  part_without_record: kind('warns'),
  dangling_reference: kind('notes'),
  mostly_dangling: kind('warns'),
  lines_do_not_add_up: kind('warns'),
  total_does_not_add_up: kind('warns'),
  record_without_lines: kind('notes'),
  // Speed.
  journal_missing: kind('warns'),
  // How far the change feed reaches back.
  journal_reach: kind('notes'),
  feed_held_back: kind('warns', 'postgres'),
  journal_long: kind('warns', 'postgres'),
  // Rights.
  superuser: kind('warns', 'postgres'),
  may_write: kind('warns', 'postgres'),
  may_create: kind('warns', 'postgres'),
  row_security: kind('warns', 'postgres'),
  file_writable: kind('notes', 'sqlite'),
  not_wal: kind('warns', 'sqlite'),
  open_to_others: kind('warns'),
  trusts_everybody: kind('warns'),
  // Questions.
  not_answered: kind('notes'),
} as const satisfies Readonly<Record<string, FindingKind>>

export type FindingCode = keyof typeof findingKinds
export const findingCodes = Object.keys(findingKinds) as FindingCode[]

export interface Finding {
  readonly code: FindingCode
  // Absent: the finding is about the whole database.
  readonly relation?: string
  readonly column?: string
  readonly count?: number
  // Ids of some of the records.
  readonly examples?: readonly string[]
  readonly message: string
  readonly remedy: string
  // SQL to paste.
  readonly statements?: readonly string[]
}

export const severityOf = ({ code }: Finding): Severity => findingKinds[code].severity
export const fails = (finding: Finding) => severityOf(finding) === 'fails'

// 1,234 records; 1 record.
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
}

export const rejected = (relation: string, error: string): Finding => ({
  code: 'relation_refuses',
  relation,
  message: `It exists, but cannot be read: ${error.replace(/\.$/, '')}.`,
  remedy: 'Fix the view, or the tables it reads, until all columns can be selected.',
})
