// Invoices and their archive in a schema of PostgreSQL, with their tally and nothing else; and what that tally says, beside
// what a count of the visible rows, made anew and without any of its terms, comes to.
import assert from 'node:assert/strict'
import { nameOf, tallies, type Axis, type Tally } from '../../src/catalogue/tallies.ts'
import { connectPostgres, type PostgresConnection, type PostgresRow } from '../../src/postgres/connection.ts'
import type { PostgresUrl } from '../../src/settings/postgres-url.ts'
import { postgresSchema } from '../../src/sql/postgres-schema.ts'
import { postgresTally, tallyRows, tallyWords } from '../../src/sql/postgres-tallies.ts'
import { extension, urlOf } from './place-postgres.ts'
import { newSchema } from './postgres.ts'

const found = tallies.find((each) => nameOf(each) === 'invoices')
assert(found)
export const invoicesTally: Tally = found

export interface TalliedInvoices {
  readonly url: PostgresUrl
  /** The owner's connection. */
  readonly owner: PostgresConnection
  /** One more, as a till has it: it waits for nobody longer than two seconds. */
  connect(): Promise<PostgresConnection>
  remove(): Promise<void>
}

export async function makeTalliedInvoices(): Promise<TalliedInvoices> {
  const url = await urlOf(newSchema('tallied'))
  const connections: PostgresConnection[] = []
  const connect = async () => {
    const setUp = `SET search_path = ${url.schema}, public; SET lock_timeout = '2s'; SET datestyle = 'ISO, YMD'`
    const connection = await connectPostgres(url, { timeoutMs: 30_000, setUp })
    connections.push(connection)
    return connection
  }
  const owner = await connect()
  const tables = invoicesTally.relations.flatMap((relation) => postgresSchema.tables(relation))
  await owner.script(extension)
  await owner.script(`CREATE SCHEMA ${url.schema}; ${[...tables, ...postgresTally(invoicesTally)].join(';')}`)
  return {
    url,
    owner,
    connect,
    async remove() {
      for (const connection of connections.slice(1)) await connection.close()
      await owner.script(`DROP SCHEMA ${url.schema} CASCADE`)
      await owner.close()
    },
  }
}

export const fold = 'SELECT invoices_tally_fold()'

/** What the tally says as text, one line for each place on each axis and combination of traits. */
export async function talliedCounts(connection: PostgresConnection, tally = invoicesTally): Promise<string[]> {
  const traits = tally.traits.map((name) => `"${name}"`)
  const rows = await connection.rows(
    `SELECT axis, bucket, ${traits.map((name) => `${name}::text`).join(', ')}, sum(n)::int FROM ${tallyRows(tally)}
     WHERE axis <> 'made' GROUP BY axis, bucket, ${traits.join(', ')} HAVING sum(n) <> 0`,
  )
  return rows.map((row) => JSON.stringify(row)).toSorted()
}

/** The same, counted here from the rows that readers see: the recent ones, and archived ones without a recent one. */
export async function countedAnew(connection: PostgresConnection, tally = invoicesTally): Promise<string[]> {
  const columns = [...tally.traits, ...tally.axes.map(({ column }) => column)]
    .map((name) => `t."${name}"::text`)
    .join(', ')
  const [recent, archive] = tally.relations.map(({ name }) => `"${name}"`)
  const rows = await connection.rows(
    `SELECT ${columns} FROM ${recent} t` +
      (archive ? ` UNION ALL SELECT ${columns} FROM ${archive} t WHERE t.id NOT IN (SELECT id FROM ${recent})` : ''),
  )
  const counts = new Map<string, number>()
  const add = (axis: string, bucket: string, traits: PostgresRow) => {
    const key = JSON.stringify([axis, bucket, ...traits]).slice(0, -1)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  for (const row of rows) {
    const traits = row.slice(0, tally.traits.length)
    add('', '', traits)
    tally.axes.forEach((axis, at) => {
      const place = placeOf(axis, row[tally.traits.length + at] as string | null)
      for (const length of axis.lengths) add(`${axis.column}/${length}`, place.slice(0, length), traits)
    })
  }
  return [...counts].map(([key, n]) => `${key},${n}]`).toSorted()
}

/** The words of all records that readers see, digits aside, with their traits and how many have them: by the tally. */
export async function talliedWords(connection: PostgresConnection, tally = invoicesTally): Promise<string[]> {
  const columns = ['words', ...tally.traits.map((name) => `"${name}"::text`)].join(', ')
  const rows = await connection.rows(
    `SELECT ${columns}, sum(n)::int FROM ${tallyWords(tally)} GROUP BY ${columns} HAVING sum(n) <> 0`,
  )
  return rows.map((row) => JSON.stringify(row)).toSorted()
}

/** The same, counted here. */
async function wordsAnew(connection: PostgresConnection, tally = invoicesTally): Promise<string[]> {
  const [recent, archive] = tally.relations
  if (!recent || !archive) throw new Error('invoices have an archive')
  const columns = [...tally.traits, ...recent.search].map((name) => `t."${name}"::text`).join(', ')
  const rows = await connection.rows(
    `SELECT ${columns} FROM ${recent.name} t` +
      ` UNION ALL SELECT ${columns} FROM ${archive.name} t WHERE t.id NOT IN (SELECT id FROM ${recent.name})`,
  )
  const keys = rows.map((row) => {
    const words = row.slice(tally.traits.length).map((each) => String(each ?? ''))
    return JSON.stringify([words.join('\n').replaceAll(/[0-9]/g, '0'), ...row.slice(0, tally.traits.length)]).slice(
      0,
      -1,
    )
  })
  return [...Map.groupBy(keys, (key) => key)].map(([key, all]) => `${key},${all.length}]`).toSorted()
}

// Whole thousands of numbers that JavaScript holds exactly.
const mostId = 9007199254739999n

function placeOf({ type }: Axis, value: string | null): string {
  if (value === null) return ''
  if (type === 'int') return BigInt(value) >= 0n && BigInt(value) <= mostId ? value.padStart(16, '0') : '!'
  return /^\d{4}-\d\d-\d\d [\d:.]+$/.test(value) ? value.slice(0, 10) : '!'
}

/** Both in one snapshot, so that others may be writing. */
export async function assertExact(connection: PostgresConnection, message?: string): Promise<void> {
  await connection.script('BEGIN ISOLATION LEVEL REPEATABLE READ')
  try {
    const tallied = await talliedCounts(connection)
    assert.deepEqual(tallied, await countedAnew(connection), message)
    assert.deepEqual(await talliedWords(connection), await wordsAnew(connection), message)
  } finally {
    await connection.script('ROLLBACK')
  }
}
