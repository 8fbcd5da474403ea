// Can every relation be read, whole rows of it? A view may be there and fail. And is there anything in it?
import { relations } from '../../contract/relations.ts'
import { quote } from '../../sql/dialect.ts'
import { of, type Question } from './question.ts'

export const readableQuestions = (): Question[] =>
  relations.map(({ name, columns }) => ({
    name: `a row of ${name}`,
    relation: name,
    needs: { [name]: Object.keys(columns) },
    decides: true,
    isLong: false,
    async ask(source) {
      const rows = await source.rows({
        text: `SELECT ${Object.keys(columns).map(of).join(', ')} FROM ${quote(name)} t LIMIT 1`,
        values: [],
      })
      if (rows.length > 0) return []
      return [
        {
          code: 'empty_relation',
          relation: name,
          message: 'It is empty.',
          remedy: 'Nothing, if your POS has nothing of the kind; else see to what fills it, or to the view.',
        },
      ]
    },
  }))
