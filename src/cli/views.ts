// `vitrine views print` and `views apply`: a POS with tables of its own is connected by views.
import { relations } from '../contract/relations.ts'
import { OperatorError } from '../errors.ts'
import { nearest } from '../platform/nearest.ts'
import { dialectFault, dialectOption, type DialectName } from './dialect-option.ts'
import type { Runnable } from './runnable.ts'

const names = relations.map(({ name }) => name)
// Of views in PostgreSQL, unless the connected database names one.
const usualSchema = 'vitrine_views'

export const viewsPrint: Runnable = {
  name: 'views print',
  isStateless: true,
  summary: 'Prints a view for every relation, to be filled in for a POS that has tables of its own.',
  details:
    'Each has all columns, what they mean and their codes. The statements run as they stand: every view is then empty, as it stays ' +
    'for what the POS does not have. docs/connect-your-pos.md shows how to go on.',
  operands: [{ name: 'RELATION', help: 'Only these, such as invoices (default: all).', isRepeated: true }],
  options: [dialectOption],
  check: (options, operands) => [
    ...dialectFault(options),
    ...operands.filter((name) => !names.includes(name)).map((name) => unknown(name)),
  ],
  async run({ operands, options, output, settings: { databaseUrl } }) {
    const { viewStatements } = await import('../operate/views/print.ts')
    const dialect = (options['dialect'] ?? databaseUrl.kind) as DialectName
    const wanted = relations.filter(({ name }) => operands.length === 0 || operands.includes(name))
    const schema = databaseUrl.kind === 'postgres' ? databaseUrl.schema : usualSchema
    const statements = viewStatements(dialect, wanted, schema)
    output.result({ dialect, statements }, statements.map((statement) => `${statement};`).join('\n\n'))
  },
}

export const viewsApply: Runnable = {
  name: 'views apply',
  isStateless: true,
  summary: 'Makes the connected SQLite file one that shows a POS in another file through views.',
  details:
    'FILE holds a CREATE VIEW for every relation ("views print" begins one). The file that VITRINE_DATABASE_URL names is made, or ' +
    'made anew if it is one of these; a service that runs on it goes on with the new views. The POS file is only ever read.\n\n' +
    'In PostgreSQL views are made with psql.',
  operands: [{ name: 'FILE', help: 'The CREATE VIEW statements.' }],
  options: [{ name: 'pos', value: 'POS_FILE', help: 'The SQLite file that the tills write.', required: true }],
  async run({ operands: [file = ''], options, output, settings: { databaseUrl } }) {
    if (databaseUrl.kind !== 'sqlite')
      throw new OperatorError(
        'VITRINE_DATABASE_URL names PostgreSQL, where views are kept by the server: run the file with psql.',
      )
    const { applyViews } = await import('../operate/views/apply.ts')
    const applied = applyViews(databaseUrl.path, file, options['pos'] ?? '')
    const { database, pos, views } = applied
    output.result(applied, `${database} now shows ${pos} through ${views} views.`)
  },
}

function unknown(name: string): string {
  const meant = nearest(name, names)
  const guess = meant === undefined ? `. The relations are ${names.join(', ')}.` : `: did you mean ${meant}?`
  return `"${name}" is no relation${guess}`
}
