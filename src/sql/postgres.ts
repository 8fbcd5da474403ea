// Queries in PostgreSQL, and in what speaks its language. Nothing here depends on the locale of the database.
import { anyCasePattern, hasForms } from './case-forms.ts'
import { nameOf } from '../catalogue/tallies.ts'
import { column, type Bind, type Dialect } from './dialect.ts'
import { postgresSchema, searchTerm } from './postgres-schema.ts'
import { tellingPart } from './words.ts'
import { bucketVersion, isTallied, tallyRows, tallyWords } from './postgres-tallies.ts'

// What has no other forms, a number say, is found as it is written: in a quarter of the time.
const holding = (text: string, bind: Bind, unsure?: ReadonlySet<string>) =>
  hasForms(text) ? `~ ${bind(anyCasePattern(text, unsure))}` : `LIKE ${bind(`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`)}`

// The same collation by another name, which is not that of our indexes.
const unindexed = (expression: string) => `${expression} COLLATE "POSIX"`

// Two blanks stand before each word in the index: behind what is no letter, the first one of a word is enough.
const hasTrigram = (text: string) => [...text].length > 2 || /^[^\p{L}\p{N}][\p{L}\p{N}]$/u.test(text)

// A dialect for one server: `unsure` are the letters its trigram indexes fold otherwise than we do, `tallies` those it keeps.
export const postgres = (unsure: ReadonlySet<string>, tallies: ReadonlySet<string> = new Set()): Dialect => ({
  ...postgresSchema,
  // A number says its type: left to itself, the server takes that of the column, which may be too small for it.
  placeholder: (position, value) => (typeof value === 'number' ? `$${position}::bigint` : `$${position}`),
  isTrue: (expression, wanted) => `${expression} = ${wanted}`,
  direction: (descending, isKey) =>
    (descending ? 'DESC' : 'ASC') + (isKey ? '' : descending ? ' NULLS LAST' : ' NULLS FIRST'),
  limit: (limit, offset) => `LIMIT ${limit} OFFSET ${offset}`,
  unindexed: (expression) => expression,
  mergeable: (select, order, most) => `(${select} ORDER BY ${order} LIMIT ${most()})`,
  // Joined, the planner takes it for granted that next to nothing is left, and reads everything.
  askEach: ' OFFSET 0',
  integerList: (integers) => `{${integers.join(',')}}`,
  isInList: (expression, list) => `${expression} = ANY (${list}::bigint[])`,
  listAsTable: (list, alias) => `unnest(${list}::bigint[]) AS ${alias} (id)`,

  // The trigram index of a column answers this by itself, where there is one. Asked for a part, or with letters it is not to be asked
  // for, it only narrows, and the same condition on what no index answers decides. Of two characters it mostly knows nothing, but the
  // server would read all of it for them.
  contains({ alias, columns, text }, bind) {
    const part = tellingPart(text)
    const isDecided = part === text && ![...text].some((character) => unsure.has(character))
    const narrow = hasTrigram(text) ? holding(part, bind, unsure) : undefined
    const exact = narrow && isDecided ? undefined : holding(text, bind)
    const conditions = columns.map((name) => {
      const term = column(alias, name)
      const both = [narrow && `${searchTerm(term)} ${narrow}`, exact && `${unindexed(term)} ${exact}`]
      return both.filter((each) => each !== undefined).join(' AND ')
    })
    return `(${conditions.join(' OR ')})`
  },

  meetsNamed: false,
  found: () => undefined,

  hasTally: (tally) => tallies.has(nameOf(tally)),
  isTallied,
  tallyRows,
  tallyWords,
  bucketVersion,

  // The server stops its statements itself.
  keepGoing: () => '',
})
