// `schema apply` and `schema remove` in PostgreSQL, while tills write: indexes are built and dropped concurrently, and
// nothing waits for a lock on a relation. Views are not changed: their indexes belong to the tables behind them.
import { relations } from '../../contract/relations.ts'
import { absentColumns, lackingColumns, type ColumnsOf } from '../../engine/missing-parts.ts'
import { namesIn, readColumns } from '../../engine/postgres/check.ts'
import { OperatorError } from '../../errors.ts'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { quoteName } from '../../platform/postgres/names.ts'
import { placeOf } from '../../platform/postgres/problems.ts'
import { makeSchema } from '../../platform/postgres/schema-access.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import { withConnection } from '../../platform/postgres/with-connection.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { settingsTable } from '../../settings/table.ts'
import { letReadersRead } from '../../sql/journal-postgres.ts'
import { keepRows } from '../../sql/journal-pruning.ts'
import { concurrentSchema, postgresSchema, postgresTypes } from '../../sql/postgres-schema.ts'
import { parentIndexName } from '../../sql/schema.ts'
import { eachWithProgress } from '../progress.ts'
import { remarkOnBlockers, runBriefly, withRelationsLocked } from './postgres-locks.ts'
import { dropParts, findPostgresJournal, makeParts, plainTables } from './journal.ts'
import {
  announcePlan,
  columnSteps,
  copyMarksTable,
  indexSteps,
  journalSteps,
  lackingRemark,
  lengthSteps,
  relationsStay,
  refuseCopy,
  removeJournal,
  tableSteps,
  type SchemaCommand,
  type SchemaOptions,
  type SchemaPlan,
  type SchemaResult,
  type SchemaStep,
} from './plan.ts'

export async function changePostgres(
  url: PostgresUrl,
  command: SchemaCommand,
  options: SchemaOptions,
): Promise<SchemaResult> {
  const setting = settingsTable.databaseUrl.name
  const setUp = sessionSetUp(url, { timeoutMs: 0 })
  return withConnection(setting, url, setUp, async (connection) => {
    const [row] = await connection.rows('SELECT pg_backend_pid()')
    const done = new AbortController()
    // It only makes remarks, so a failure to connect is ignored.
    const watching = withConnection(setting, url, setUp, (watcher) =>
      remarkOnBlockers(watcher, Number(row?.[0]), options.remark, done.signal),
    ).catch(() => {})
    try {
      return await withRelationsLocked(connection, async () => {
        const plan = await (command === 'apply'
          ? planToApply(connection, url, options.journalRows)
          : planToRemove(connection))
        announcePlan(plan, options)
        const parts = plan.steps.flatMap((step) => step.parts)
        if (command === 'apply') await makeSchema(connection, url)
        await eachWithProgress('steps', parts, options.onProgress, (statements) => runPart(connection, statements))
        return { database: placeOf(url), steps: plan.steps.map(({ summary }) => summary) }
      })
    } finally {
      done.abort()
      await watching
    }
  })
}

const runPart = (connection: PostgresConnection, statements: readonly string[]): Promise<void> =>
  statements.some((statement) => statement.includes('CONCURRENTLY'))
    ? connection.script(statements.join('; '))
    : runBriefly(connection, statements)

// A table that lacks a required column is reported before anything is changed: rows without a status or a store would be wrong.
async function planToApply(
  connection: PostgresConnection,
  url: PostgresUrl,
  journalRows: number | undefined,
): Promise<SchemaPlan> {
  const kinds = await relationKinds(connection)
  const columnsOf = namesIn(await readColumns(connection, url))
  refuseLackingColumns(url, columnsOf)
  const incomplete = Object.groupBy(absentColumns(columnsOf, 'not required'), ({ relation: { name } }) =>
    ['r', 'p'].includes(kinds.get(name) ?? '') ? 'tables' : 'others',
  )
  const missing = relations.filter(({ name }) => !kinds.has(name))
  const present = relations.map(({ name }) => name).filter((name) => kinds.has(name))
  const plain = [...(await plainTables(connection)), ...missing.map(({ name }) => name)]
  const indexed = relations.filter(({ name }) => ['r', 'm', undefined].includes(kinds.get(name)))
  const others = relations.map(({ name }) => name).filter((name) => !plain.includes(name))
  const journal = await findPostgresJournal(connection, plain)
  return {
    steps: [
      ...tableSteps(missing, (relation) => [
        ...postgresSchema.tables(relation),
        ...(present.length > 0 ? [letReadersRead(relation.name, present)] : []),
      ]),
      ...columnSteps(incomplete.tables ?? [], postgresTypes),
      ...(await parentIndexSteps(connection, indexed)),
      ...journalSteps(journal, plain.length, [...(await dropParts(connection)), ...makeParts(plain)]),
      ...lengthSteps(journal, journalRows, keepRows),
    ],
    remarks: [
      ...(others.length > 0 ? [`Not in the journal, because they are no plain tables: ${others.join(', ')}.`] : []),
      ...lackingRemark(incomplete.others ?? []),
    ],
  }
}

async function planToRemove(connection: PostgresConnection): Promise<SchemaPlan> {
  const parts = await dropParts(connection)
  const kinds = await relationKinds(connection)
  if (kinds.has(copyMarksTable)) throw refuseCopy()
  const isThere = parts.length > 1 || kinds.has('vitrine_journal')
  return { steps: isThere ? [{ summary: removeJournal, parts }] : [], remarks: [relationsStay] }
}

const indexQuery = `
  SELECT c.relname::text, r.relname::text, a.attname::text, i.indisvalid AND i.indpred IS NULL
  FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_class r ON r.oid = i.indrelid
    LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] AND a.attnum > 0
  WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema()))`

// The parts of a record are found by this index. Any valid index that begins with the parent's id will do.
async function parentIndexSteps(
  connection: PostgresConnection,
  tables: readonly (typeof relations)[number][],
): Promise<SchemaStep[]> {
  const found = (await connection.rows(indexQuery)).map(([name, relation, column, isValid]) => ({
    name: String(name),
    relation,
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
  const dropBroken: SchemaStep = {
    summary: `Remove ${broken.length} indexes that were begun and never finished: ${broken.map(({ name }) => name).join(', ')}.`,
    parts: broken.map(({ name }) => [`DROP INDEX CONCURRENTLY ${quoteName(name)}`]),
  }
  return [
    ...(broken.length > 0 ? [dropBroken] : []),
    ...indexSteps(lacking, isTaken, (relation) => concurrentSchema.indexes(relation)),
  ]
}

function refuseLackingColumns(url: PostgresUrl, columnsOf: ColumnsOf): void {
  const lacking = lackingColumns(placeOf(url), columnsOf)
  if (lacking.length > 0) throw new OperatorError(lacking.join('\n'), 1)
}

// To be called within a transaction, which the error for a table that lacks columns rolls back.
export async function makeTables(connection: PostgresConnection, url: PostgresUrl): Promise<void> {
  await makeSchema(connection, url)
  for (const relation of relations)
    for (const statement of postgresSchema.tables(relation)) await connection.script(statement)
  refuseLackingColumns(url, namesIn(await readColumns(connection, url)))
}

// By name: a table is "r", a view "v".
export async function relationKinds(connection: PostgresConnection): Promise<Map<string, string>> {
  const rows = await connection.rows(
    `SELECT relname::text, relkind::text FROM pg_catalog.pg_class
     WHERE relnamespace = to_regnamespace(quote_ident(current_schema()))`,
  )
  return new Map(rows.map(([name, kind]) => [String(name), String(kind)]))
}
