// Are the relations and columns there, may they be read, and are their types right? The catalogue of the database has told.
import { relations } from '../../contract/relations.ts'
import type { ColumnType, Relation } from '../../contract/relation.ts'
import { absentColumns, absentRelations, missingParts } from '../../engine/missing-parts.ts'
import { quote } from '../../sql/dialect.ts'
import { pasted, schemaOf } from './schema-of.ts'
import type { Finding } from './finding.ts'
import type { Inquiry } from './question.ts'
import { columnsIn } from './shape.ts'
import { castTo } from './casts.ts'
import { inView } from './words.ts'

export function structureFindings(inquiry: Inquiry): Finding[] {
  const { shape } = inquiry
  const absent = absentRelations(columnsIn(shape))
  if (absent.length === relations.length)
    return missingParts('this database', columnsIn(shape)).map((message) => ({
      code: 'cannot_open',
      message,
      remedy:
        'Name the right database in VITRINE_DATABASE_URL. If this is the one of your POS, "vitrine views print" writes views over its tables to begin with; "vitrine schema apply" makes empty tables.',
    }))
  return [
    ...relations.filter(({ name }) => absent.includes(name)).map((relation) => missingRelation(inquiry, relation)),
    ...[...shape.broken].map(([relation, said]): Finding => refusal(relation, said)),
    ...absentColumns(columnsIn(shape))
      .filter(({ relation }) => !shape.broken.has(relation.name))
      .map(({ relation, columns }) => missingColumns(inquiry, relation, columns)),
    ...relations.flatMap((relation) => wrongTypes(inquiry, relation)),
  ]
}

export const refusal = (relation: string, said: string): Finding => ({
  code: 'relation_refuses',
  relation,
  message: `It is there, and cannot be read: ${said.replace(/\.$/, '')}.`,
  remedy: 'Mend the view, or what it reads, until all of it can be selected.',
})

const missingRelation = (inquiry: Inquiry, relation: Relation): Finding => ({
  code: 'relation_missing',
  relation: relation.name,
  message: 'It is not there.',
  remedy:
    'Offer what your POS has of it as a view with these columns; if it has nothing like it, an empty table will do:',
  statements: pasted(inquiry, schemaOf(inquiry).tables(relation)),
})

function missingColumns(inquiry: Inquiry, relation: Relation, columns: readonly string[]): Finding {
  const { shape } = inquiry
  const kind = shape.relations.get(relation.name)
  const types = columns.map((name): [string, ColumnType] => [name, relation.columns[name] ?? 'text'])
  const only = columns.length === 1 ? { column: columns[0] ?? '' } : {}
  const message = `It lacks ${columns.length === 1 ? 'the column' : 'the columns'} ${columns.join(', ')}.`
  const common = { code: 'column_missing', relation: relation.name, ...only, count: columns.length, message } as const
  if (kind?.isTable)
    return {
      ...common,
      remedy: 'Add what is missing; it may stay empty:',
      statements: pasted(
        inquiry,
        types.map(
          ([name, type]) =>
            `ALTER TABLE ${quote(relation.name)} ADD COLUMN ${quote(name)} ${schemaOf(inquiry).types[type]}`,
        ),
      ),
    }
  const terms = types.map(([name, type]) => `${castTo(inquiry, type, 'NULL')} AS ${quote(name)}`)
  return { ...common, remedy: `Select it in the view; where your POS has nothing like it: ${terms.join(', ')}` }
}

function wrongTypes(inquiry: Inquiry, relation: Relation): Finding[] {
  const shape = inquiry.shape.relations.get(relation.name)
  return Object.entries(relation.columns).flatMap(([name, type]): Finding[] => {
    const found = shape?.columns.get(name)
    if (!shape || !found || found.isRight) return []
    const wanted = schemaOf(inquiry).types[type]
    return [
      {
        code: 'column_type',
        relation: relation.name,
        column: name,
        message: `It is ${found.type}, and must be ${wanted}.`,
        remedy: inView(shape, castTo(inquiry, type, quote(name), found.type), name),
      },
    ]
  })
}
