// `schema apply` and `schema remove` in PostgreSQL, while the tills are writing: indexes are built and dropped concurrently, and
// locks on relations are had in passing. Views stay as they are: their indexes belong to the tables behind them.
import { relations } from '../../contract/relations.ts'
import { lackingColumns } from '../../engine/missing-parts.ts'
import { readColumns } from '../../engine/postgres/check.ts'
import { OperatorError } from '../../errors.ts'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { quoteName } from '../../platform/postgres/names.ts'
import { placeOf } from '../../platform/postgres/problems.ts'
import { makeSchema } from '../../platform/postgres/schema-access.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import { withConnection } from '../../platform/postgres/with-connection.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { settingsTable } from '../../settings/table.ts'
import { concurrentSchema, postgresSchema } from '../../sql/postgres-schema.ts'
import { parentIndexName } from '../../sql/schema.ts'
import { eachWithProgress } from '../progress.ts'
import { indexSteps, removeJournal, staysWhole, stepFor } from './apply-sqlite.ts'
import { earlierInPostgres, earlierValues, type EarlierGroup } from './earlier-versions.ts'
import { insist } from './insist.ts'
import { dropParts, findJournal, makeParts, plainTables } from './journal-of-postgres.ts'
import { lockRelations } from './lock.ts'
import { earlierStep, tellPlan, type Change, type Changed, type ChangeOptions, type Plan, type Step } from './plan.ts'
import { tellWaiting } from './waiting.ts'

export async function changePostgres(url: PostgresUrl, what: Change, options: ChangeOptions): Promise<Changed> {
  const setting = settingsTable.databaseUrl.name
  const setUp = sessionSetUp(url, { timeoutMs: 0 })
  return withConnection(setting, url, setUp, async (connection) => {
    const [row] = await connection.rows('SELECT pg_backend_pid()')
    const done = new AbortController()
    // Only remarks come of it: without a second connection there are none.
    const watching = withConnection(setting, url, setUp, (watcher) =>
      tellWaiting(watcher, Number(row?.[0]), options.remark, done.signal),
    ).catch(() => {})
    try {
      await lockRelations(connection)
      const { steps, remarks } = await (what === 'apply' ? planToApply(connection, url) : planToRemove(connection))
      tellPlan({ steps, remarks }, options)
      const parts = steps.flatMap((step) => step.parts)
      if (what === 'apply') await makeSchema(connection, url)
      await eachWithProgress('steps', parts, options.onProgress, (statements) => runPart(connection, statements))
      return { database: placeOf(url), steps: steps.map(({ says }) => says) }
    } finally {
      done.abort()
      await watching
    }
  })
}

const runPart = (connection: PostgresConnection, statements: readonly string[]): Promise<void> =>
  statements.some((statement) => statement.includes('CONCURRENTLY'))
    ? connection.script(statements.join('; '))
    : insist(connection, statements)

// A table that was there and lacks columns is told of before anything is made.
async function planToApply(connection: PostgresConnection, url: PostgresUrl): Promise<Plan> {
  const kinds = await relationKinds(connection)
  await refuseLacking(connection, url)
  const missing = relations.filter(({ name }) => !kinds.has(name))
  const missingNames = missing.map(({ name }) => name)
  const plain = [...(await plainTables(connection)), ...missingNames]
  const indexed = relations.filter(({ name }) => ['r', 'm', undefined].includes(kinds.get(name)))
  const others = relations.map(({ name }) => name).filter((name) => !plain.includes(name))
  return {
    steps: [
      // Nobody is kept waiting by the tables, so they come all at once.
      ...stepFor(
        'relations',
        missing,
        ({ name }) => name,
        (relation) => postgresSchema.tables(relation),
      ).map((step) => ({
        ...step,
        parts: [step.parts.flat()],
      })),
      ...(await earlierGroups(connection)).map(earlierStep),
      ...(await parentIndexes(connection, indexed)),
      ...(await journalSteps(connection, plain)),
    ],
    remarks: [
      ...(others.length > 0 ? [`Not in the journal, because they are no plain tables: ${others.join(', ')}.`] : []),
      ...(await extensionRemark(connection)),
    ],
  }
}

const planToRemove = async (connection: PostgresConnection): Promise<Plan> => {
  const parts = await dropParts(connection)
  const isThere = parts.length > 1 || (await relationKinds(connection)).has('vitrine_journal')
  return {
    steps: [
      ...(isThere ? [{ says: removeJournal, parts }] : []),
      ...(await earlierGroups(connection)).map(earlierStep),
    ],
    remarks: [staysWhole, ...(await extensionRemark(connection))],
  }
}

// Others may use it, too.
async function extensionRemark(connection: PostgresConnection): Promise<string[]> {
  const [row] = await connection.rows(`SELECT FROM pg_catalog.pg_extension WHERE extname = 'pg_trgm'`)
  return row ? ['The extension pg_trgm stays. Vitrine no longer uses it.'] : []
}

export async function earlierGroups(connection: PostgresConnection): Promise<EarlierGroup[]> {
  const rows = await connection.rows(earlierInPostgres, earlierValues)
  const found = rows.map((row) => row.map(String))
  return [...Map.groupBy(found, ([what]) => what)].map(([what, group]) => ({
    what: what as EarlierGroup['what'],
    names: group.map(([, name = '']) => name),
    statements: group.map(([, , statement = '']) => statement),
  }))
}

const indexQuery = `
  SELECT c.relname::text, r.relname::text, a.attname::text, i.indisvalid AND i.indpred IS NULL
  FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_class r ON r.oid = i.indrelid
    LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] AND a.attnum > 0
  WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema()))`

// The parts of a record are found by it. Any index that begins with it will do; one that a broken attempt left does not.
async function parentIndexes(
  connection: PostgresConnection,
  tables: readonly (typeof relations)[number][],
): Promise<Step[]> {
  const found = (await connection.rows(indexQuery)).map(([name, relation, column, isValid]) => ({
    name: String(name),
    relation: String(relation),
    column,
    isValid: isValid === true,
  }))
  const lacking = tables.filter(
    ({ name, parent }) =>
      parent !== undefined && !found.some((each) => each.isValid && each.relation === name && each.column === parent),
  )
  const broken = found.filter(
    ({ name, relation, isValid }) =>
      !isValid && lacking.some((each) => each.name === relation && parentIndexName(each) === name),
  )
  const isTaken = (name: string) => found.some((each) => each.name === name && !broken.includes(each))
  const dropBroken: Step = {
    says: `Remove ${broken.length} indexes that were begun and never finished: ${broken.map(({ name }) => name).join(', ')}.`,
    parts: broken.map(({ name }) => [`DROP INDEX CONCURRENTLY ${quoteName(name)}`]),
  }
  return [
    ...(broken.length > 0 ? [dropBroken] : []),
    ...indexSteps(lacking, isTaken, (relation) => concurrentSchema.indexes(relation)),
  ]
}

async function journalSteps(connection: PostgresConnection, tables: readonly string[]): Promise<Step[]> {
  const { isThere, faults } = await findJournal(connection, tables)
  if (faults.length === 0) return []
  const why = isThere ? ` anew, because these are missing or were changed: ${faults.join(', ')}` : ''
  const says = `Make the journal${why}: the table vitrine_journal, and triggers on ${tables.length} relations that write into it which records changed.`
  return [{ says, parts: [...(await dropParts(connection)), ...makeParts(tables)] }]
}

async function refuseLacking(connection: PostgresConnection, url: PostgresUrl): Promise<void> {
  const columns = await readColumns(connection, url)
  const lacking = lackingColumns(placeOf(url), (relation) => new Set(columns.get(relation)?.keys()))
  if (lacking.length > 0) throw new OperatorError(lacking.join('\n'), 1)
}

// Within a transaction: a table that was there and lacks columns is told of before anything is made.
export async function makeTables(connection: PostgresConnection, url: PostgresUrl): Promise<void> {
  await makeSchema(connection, url)
  for (const relation of relations)
    for (const statement of postgresSchema.tables(relation)) await connection.script(statement)
  await refuseLacking(connection, url)
}

// By name: a table is "r", a view "v".
export async function relationKinds(connection: PostgresConnection): Promise<Map<string, string>> {
  const rows = await connection.rows(
    `SELECT relname::text, relkind::text FROM pg_catalog.pg_class
     WHERE relnamespace = to_regnamespace(quote_ident(current_schema()))`,
  )
  return new Map(rows.map(([name, kind]) => [String(name), String(kind)]))
}
