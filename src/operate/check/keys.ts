// Can every relation be read (a view may exist and fail), and does every row have its own key? Constraints of the database
// are not checked again.
import { relations } from '../../contract/relations.ts'
import { quote } from '../../sql/dialect.ts'
import { columnFault, faultsQuestion, of, type Question, type CheckContext, type RowFault } from './question.ts'
import type { Relation } from '../../contract/relation.ts'
import { whereSql } from '../../sql/conditions.ts'
import { counted } from './finding.ts'

// Enough to find most views that fail for some of their rows.
const firstRows = 100

export const readableQuestions = ({ shape }: CheckContext): Question[] => [
  ...relations.map(firstRowsQuestion),
  ...relations.filter(({ name }) => shape.relations.get(name)?.isTable === false).map(everyRowQuestion),
]

function firstRowsQuestion({ name, columns }: Relation): Question {
  return {
    name: `rows of ${name}`,
    relation: name,
    needs: { [name]: Object.keys(columns) },
    decides: true,
    async ask(database) {
      const list = Object.keys(columns).map(of).join(', ')
      const rows = await database.rows(() => `SELECT ${list} FROM ${quote(name)} t LIMIT ${firstRows}`)
      if (rows.length > 0) return []
      return [
        {
          code: 'empty_relation',
          relation: name,
          message: 'It is empty.',
          remedy: 'Nothing, if your POS has no such data; otherwise check the import or the view.',
        },
      ]
    },
  }
}

// A view may fail for any row. Counting its values computes them.
const everyRowQuestion = ({ name, columns, key }: Relation): Question => ({
  name: `every row of ${name}`,
  relation: name,
  needs: { [name]: Object.keys(columns) },
  decides: true,
  isLong: true,
  async ask(database) {
    const counts = Object.keys(columns).map((each) => `count(${of(each)})`)
    const rows = whereSql(database.dialect, of(key[0] ?? ''), [])
    await database.rows(() => `SELECT ${counts.join(', ')} FROM ${quote(name)} t${rows}`)
    return []
  },
})

export function keyQuestions({ shape }: CheckContext): Question[] {
  return relations.flatMap((relation) => {
    const below = faultsQuestion({ about: 'keys below one', relation, faults: relation.key.map(belowOne) })
    if (shape.relations.get(relation.name)?.isKeyed) return below
    const empties = faultsQuestion({ about: 'empty keys', relation, faults: [empty(relation)], decides: true })
    return [...empties, duplicateKeys(relation), ...below]
  })
}

const empty = ({ key }: Relation): RowFault => ({
  code: 'key_empty',
  needs: [],
  where: () => key.map((name) => `${of(name)} IS NULL`).join(' OR '),
  says: (count) => ({
    message: `${counted(count, 'row has', 'rows have')} no ${key.join(', ')}, so the record has no identity.`,
    remedy: `Leave these rows out of the view (WHERE ${key.map((name) => `${name} IS NOT NULL`).join(' AND ')}), or give them a key.`,
  }),
})

const belowOne = (name: string): RowFault =>
  columnFault(
    'key_below_one',
    name,
    () => `${of(name)} < 1`,
    (count) =>
      `${counted(count, 'row has', 'rows have')} a key below 1: lists show it, but it cannot be requested by id.`,
    'Ids start at 1: change these, or leave the rows out of the view.',
    [],
  )

const mostExamples = 3

function duplicateKeys({ name, key }: Relation): Question {
  const keys = key.map(of)
  const list = keys.join(', ')
  return {
    name: `duplicate keys of ${name}`,
    relation: name,
    needs: { [name]: key },
    decides: true,
    isLong: true,
    async ask(database) {
      const filled = keys.map((each) => `${each} IS NOT NULL`)
      const where = whereSql(database.dialect, keys[0] ?? '', filled)
      const repeated = `SELECT ${list}, count(*) AS n FROM ${quote(name)} t${where} GROUP BY ${list} HAVING count(*) > 1`
      const order = keys.map((_, at) => at + 1).join(', ')
      const rows = await database.rows(
        () => `SELECT r.*, count(*) OVER () FROM (${repeated}) r ORDER BY ${order} LIMIT ${mostExamples}`,
      )
      const [first] = rows
      if (!first) return []
      const count = Number(first.at(-1))
      return [
        {
          code: 'key_twice',
          relation: name,
          column: key.join(', '),
          count,
          examples: rows.map((row) => row.slice(0, key.length).map(String).join('/')),
          message: `${counted(count, 'key occurs', 'keys occur')} more than once.`,
          remedy:
            'A join in the view may multiply rows: look at one of these keys, and join only one row for each. ' +
            'If your POS has recent and archived records in one table, separate them by a condition.',
        },
      ]
    },
  }
}
