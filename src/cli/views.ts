// `vitrine views print`: a template for a POS that has its own tables.
import { relations } from '../contract/relations.ts'
import { nearest } from '../terminal/nearest.ts'
import { sourceDialect, type SourceDialectName } from './options.ts'
import type { Runnable } from './command.ts'

const names = relations.map(({ name }) => name)
// The schema of views in PostgreSQL, unless VITRINE_DATABASE_URL names one.
const defaultSchema = 'vitrine_views'

export const viewsPrint: Runnable = {
  name: 'views print',
  isStateless: true,
  summary: 'Prints a template of views, to be filled in for a POS that has its own tables.',
  details:
    'Each view lists all columns with their meaning and their codes. Unchanged, the statements run and make empty views, which is ' +
    'right for relations that the POS does not have. For most, "vitrine copy" then runs the SELECTs, and creates nothing; docs/connect-your-pos.md ' +
    'explains the next steps.',
  operands: [{ name: 'RELATION', help: 'Only these relations, such as invoices (default: all).', isRepeated: true }],
  options: [sourceDialect.option],
  check: (options, operands) => [
    ...sourceDialect.check(options),
    ...operands.filter((name) => !names.includes(name)).map((name) => unknown(name)),
  ],
  async run({ operands, options, output, settings: { copyFrom, databaseUrl } }) {
    const { viewStatements } = await import('../operate/views/print.ts')
    const dialect = (options['dialect'] ?? (copyFrom ?? databaseUrl).kind) as SourceDialectName
    const wanted = relations.filter(({ name }) => operands.length === 0 || operands.includes(name))
    const schema = databaseUrl.kind === 'postgres' ? databaseUrl.schema : defaultSchema
    const statements = viewStatements(dialect, wanted, schema)
    output.result({ dialect, statements }, statements.map((statement) => `${statement};`).join('\n\n'))
  },
}

function unknown(name: string): string {
  const meant = nearest(name, names)
  const guess = meant === undefined ? `. The relations are ${names.join(', ')}.` : `: did you mean ${meant}?`
  return `"${name}" is not a relation${guess}`
}
