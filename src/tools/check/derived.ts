// Tallies and SQLite's search indexes: are they there, and can they be trusted? Answers are right without them, and slower.
import { nameOf, tallies } from '../../catalogue/tallies.ts'
import { searchedRelations } from '../../contract/relations.ts'
import { searchTable } from '../../sql/sqlite-search.ts'
import { quoteName } from '../../postgres/names.ts'
import type { Finding } from './finding.ts'
import type { PostgresUrl } from '../../settings/postgres-url.ts'
import type { Inquiry } from './question.ts'

const apply = 'Run "vitrine schema apply": it makes them while tills write.'

// What gives a table another shape or file. (What PostgreSQL does by itself, autovacuum, does not.)
const rewrites = { sqlite: 'VACUUM', postgres: 'TRUNCATE, VACUUM FULL' }

// "schema apply" does not help there.
const noPlace =
  ', or it holds a record that has no place in one (an id below 0 or from 8,796,093,022,208 on, a NUL in a text, a BLOB for one)'

export function derivedFindings({ shape, url }: Inquiry): Finding[] {
  const stale = (
    code: 'tally_stale' | 'search_index_stale',
    relations: readonly string[],
    what: string,
    more = '',
  ): Finding[] =>
    relations.map((relation) => ({
      code,
      relation,
      message: `Its table was changed, emptied or written anew since its ${what} was made, or another version of Vitrine made it${more}: it is not used.`,
      remedy: `${apply} (It must be run after every change of the schema, after ${rewrites[url.kind]} and after a restore.)`,
    }))
  const countable = tallies.filter((tally) =>
    tally.relations.every(({ name }) => shape.relations.get(name)?.kind === 'table'),
  )
  const isClosed = (name: string) => shape.closedTallies.some((table) => table.startsWith(`${name}_tally`))
  const uncounted = countable
    .map(nameOf)
    .filter((name) => !shape.kept.tallies.has(name) && !shape.stale.tallies.includes(name) && !isClosed(name))
  const searchable = searchedRelations.filter(({ name }) => shape.relations.get(name)?.kind === 'table')
  const unsearched = searchable.filter(
    ({ name }) => !shape.kept.searches.has(name) && !shape.stale.searches.includes(name),
  )
  return [
    ...stale('tally_stale', shape.stale.tallies, 'tally'),
    ...stale('search_index_stale', shape.stale.searches, 'search index', noPlace),
    ...(url.kind === 'postgres' && shape.closedTallies.length > 0 ? [closedTallies(shape.closedTallies, url)] : []),
    ...(uncounted.length > 0 ? [missingTallies(uncounted)] : []),
    ...(url.kind === 'sqlite' && unsearched.length > 0
      ? [
          {
            code: 'search_index_missing' as const,
            count: unsearched.length,
            message: `There is no ${unsearched.map(searchTable).join(', ')}: a search reads all records.`,
            remedy: apply,
          },
        ]
      : []),
  ]
}

const missingTallies = (names: readonly string[]): Finding => ({
  code: 'tally_missing',
  count: names.length,
  message: `Nobody counts ${names.join(', ')} as they are written: totals are counted at every request, and deep pages walked to.`,
  remedy: `${apply} If triggers cannot be, lists of a few hundred thousand records still answer in a fraction of a second.`,
})

// As if they were not there.
const closedTallies = (names: readonly string[], { schema, user }: PostgresUrl): Finding => ({
  code: 'tally_unreadable',
  count: names.length,
  message: `The role ${user} may not read the tallies that are there: totals are counted at every request.`,
  remedy: 'Let their owner run:',
  statements: [
    `GRANT SELECT ON ${names.map((name) => `${quoteName(schema)}.${quoteName(name)}`).join(', ')} TO ${quoteName(user)}`,
  ],
})
