// Has every row a key, and each its own? What the database itself sees to is not asked.
import { relations } from '../../contract/relations.ts'
import type { Relation } from '../../contract/relation.ts'
import { whereSql } from '../../sql/conditions.ts'
import { quote } from '../../sql/dialect.ts'
import { counted } from './finding.ts'
import { faultsQuestion, of, type Inquiry, type Question, type RowFault } from './question.ts'

export function keyQuestions({ shape }: Inquiry): Question[] {
  return relations.flatMap((relation) => {
    const isKeyed = shape.relations.get(relation.name)?.isKeyed === true
    const empties = isKeyed
      ? []
      : faultsQuestion({ about: 'empty keys', relation, faults: [empty(relation)], decides: true })
    const below = relation.key.map(belowOne)
    return [
      ...empties,
      ...(isKeyed ? [] : [twice(relation)]),
      ...faultsQuestion({ about: 'keys below one', relation, faults: below }),
    ]
  })
}

const empty = ({ key }: Relation): RowFault => ({
  code: 'key_empty',
  needs: [],
  where: () => key.map((name) => `${of(name)} IS NULL`).join(' OR '),
  says: (count) => ({
    message: `${counted(count, 'row has', 'rows have')} no ${key.join(', ')}: such a record cannot be told from others.`,
    remedy: `Leave these rows out of the view (WHERE ${key.map((name) => `${quote(name)} IS NOT NULL`).join(' AND ')}), or give them a key.`,
  }),
})

const belowOne = (name: string): RowFault => ({
  code: 'key_below_one',
  column: name,
  needs: [],
  where: () => `${of(name)} < 1`,
  says: (count) => ({
    message: `${counted(count, 'row has', 'rows have')} a key below 1: lists show it, but nobody can ask for it.`,
    remedy: 'Ids are whole numbers from 1 on: give these rows others, or leave them out of the view.',
  }),
})

const mostExamples = 3

// Rows that are neither first nor alone. (Sorted or hashed by the database, whole.)
function twice({ name, key }: Relation): Question {
  const keys = key.map(of)
  return {
    name: `keys that are there twice in ${name}`,
    relation: name,
    needs: { [name]: key },
    decides: true,
    isLong: true,
    async ask(source) {
      const repeated = `SELECT ${keys.join(', ')}, count(*) AS n FROM ${quote(name)} t${whereSql(
        source.dialect,
        keys[0] ?? '',
        keys.map((each) => `${each} IS NOT NULL`),
      )} GROUP BY ${keys.join(', ')} HAVING count(*) > 1`
      const rows = await source.rows({
        text: `SELECT r.*, count(*) OVER () FROM (${repeated}) r ORDER BY ${keys.map((_, at) => at + 1).join(', ')} LIMIT ${mostExamples}`,
        values: [],
      })
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
          message: `${counted(count, 'key is', 'keys are')} there more than once.`,
          remedy:
            'A join in the view may multiply rows: look at one of these keys, and join what has one row for each. ' +
            'If recent and archived records are one table in your POS, tell them apart by a condition.',
        },
      ]
    },
  }
}
