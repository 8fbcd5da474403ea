// Why the lists of a collection are found by plain SQL and not in columns: a code, and what the log says.
import { journalTable } from '../sql/journalled.ts'

const apply = 'run "vitrine schema apply"'

export const plainReasons = {
  loading: 'its columns are being loaded',
  unreadable: 'the database could not be read; it is tried again',
  views: 'its relations are not all plain tables',
  no_journal: `the database has no journal: ${apply}`,
  foreign_journal: `the journal is of another server, from a dump that was restored: ${apply}`,
  unreadable_journal: `this role may not read ${journalTable}: ${apply}, or grant it`,
  triggers: `triggers of the journal are missing, disabled or changed: ${apply}`,
  unique_index: 'a relation has a unique index beside its key: REPLACE may remove rows that no trigger names',
  foreign_server: 'the server is not PostgreSQL itself',
  too_large: 'its columns do not fit into VITRINE_INDEX_MEMORY_MB',
  unusual_value: 'it holds a value that columns cannot hold exactly',
} as const

export type PlainReason = keyof typeof plainReasons
