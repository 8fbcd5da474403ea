// Is the journal there, as it was made, and may it be read? Answers are right without it: lists are then found by plain SQL.
import { quoteName } from '../../platform/postgres/names.ts'
import { journalTable } from '../../sql/journalled.ts'
import type { Finding } from './finding.ts'
import type { Inquiry } from './question.ts'
import { isTable } from './shape.ts'

const slower = 'Lists are found by plain SQL: the larger a relation, the slower.'
const apply = 'Run "vitrine schema apply": it makes the journal while tills write, and says beforehand what it will do.'

const finding = (message: string, rest: Pick<Finding, 'count' | 'remedy' | 'statements'>): Finding[] => [
  { code: 'journal_missing', message: `${message} ${slower}`, ...rest },
]

export function journalFindings({ shape, url }: Inquiry): Finding[] {
  const { isThere, faults, isReadable } = shape.journal
  // Views have no triggers.
  if (![...shape.relations.keys()].some((name) => isTable(shape, name))) return []
  if (!isThere) return finding(`There is no journal (the table ${journalTable}).`, { remedy: apply })
  if (faults.length > 0)
    return finding(`Triggers of the journal are missing, disabled or were changed: ${faults.join(', ')}.`, {
      count: faults.length,
      remedy: apply,
    })
  if (isReadable || url.kind === 'sqlite') return []
  const journal = `${quoteName(url.schema)}.${quoteName(journalTable)}`
  return finding(`The role ${url.user} may not read the journal.`, {
    remedy: 'Let its owner run:',
    statements: [`GRANT SELECT ON ${journal} TO ${quoteName(url.user)}`],
  })
}
