// A mirror in a PostgreSQL database, in a schema of its own.
import type { Client } from 'pg'
import { orReplace, quoted, refuseForeign, waitForLock, type MirrorDatabase, type Row } from './database.ts'
import { Refused } from './store.ts'

const types: Readonly<Record<string, string>> = {
  integer: 'bigint',
  number: 'numeric',
  boolean: 'boolean',
  date: 'date',
  'date-time': 'timestamp',
}

// The database of the mirror is away, or restarts.
export class TargetLost extends Refused {
  constructor(cause: Error) {
    super(`The database of the mirror does not answer (${cause.message.replace(/[.?!]$/, '')}).`)
  }
}

// `retried` repeats what failed with `TargetLost`.
export async function openPostgresMirror(
  url: string,
  schema: string,
  retried: <Result>(attempt: () => Promise<Result>) => Promise<Result>,
): Promise<MirrorDatabase> {
  let client = await connect(url)
  let isInTransaction = false
  const send = async (sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> => {
    let place = 0
    const { rows } = await client.query<Row>(
      sql.replaceAll('?', () => `$${++place}`),
      [...values],
    )
    return rows
  }
  async function begin(): Promise<void> {
    // The lock ends with the connection, even if this process is killed.
    await waitForLock(async () => {
      const [row] = await send("SELECT pg_try_advisory_lock(hashtext('vitrine pull'), hashtext(?)) AS held", [schema])
      return row?.['held'] === true
    })
    await send(`SET search_path TO ${quoted(schema)}`)
  }
  let isLost = false
  async function reconnect(): Promise<void> {
    try {
      client = await connect(url)
      await begin()
      isLost = false
    } catch (error) {
      await client.end()
      throw new TargetLost(error as Error)
    }
  }
  // Repeats a statement or a whole transaction on a new connection if the connection was lost. Both leave the same rows if they had
  // succeeded before.
  const lasting = <Result>(work: () => Promise<Result>): Promise<Result> =>
    retried(async () => {
      if (isLost) await reconnect()
      try {
        return await work()
      } catch (error) {
        // Fails only on a lost connection.
        isLost = await send('ROLLBACK').then(
          () => false,
          () => true,
        )
        throw isLost ? new TargetLost(error as Error) : error
      }
    })
  const query: typeof send = (sql, values) => (isInTransaction ? send(sql, values) : lasting(() => send(sql, values)))
  const namesIn = async (sql: string, ...values: string[]) => (await query(sql, values)).map(({ name }) => String(name))
  try {
    await begin()
    refuseForeign(
      await namesIn('SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace(?)', quoted(schema)),
    )
    const [there] = await query('SELECT to_regnamespace(?) AS name', [quoted(schema)])
    if (there?.['name'] === null) await query(`CREATE SCHEMA ${quoted(schema)}`)
  } catch (error) {
    await client.end()
    throw error
  }
  const known = new Map<string, ReadonlySet<string>>()
  // The columns of a table that hold dates and times.
  async function timesOf(table: string): Promise<ReadonlySet<string>> {
    const found =
      known.get(table) ??
      new Set(
        await namesIn(
          `SELECT attname AS name FROM pg_attribute
            WHERE attrelid = to_regclass(?) AND atttypid IN ('date'::regtype, 'timestamp'::regtype)`,
          quoted(table),
        ),
      )
    known.set(table, found)
    return found
  }

  return {
    rows: (sql, ...values) => query(sql, values),
    async insert(table, columns, rows, key) {
      if (rows.length === 0) return
      const names = columns.map(quoted).join(', ')
      const times = await timesOf(table)
      const storable = rows.map((row) =>
        Object.fromEntries(columns.map((name) => [name, cellOf(row[name], times.has(name))])),
      )
      await query(
        `INSERT INTO ${quoted(table)} (${names})
          SELECT ${names} FROM json_populate_recordset(NULL::${quoted(table)}, ?) ${orReplace(columns, key)}`,
        [JSON.stringify(storable)],
      )
    },
    async remove(table, column, values) {
      if (values.length > 0) await query(`DELETE FROM ${quoted(table)} WHERE ${quoted(column)} = ANY(?)`, [values])
    },
    columns: (table) =>
      namesIn(
        `SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped`,
        quoted(table),
      ),
    typeOf: ({ type, format }) => types[format ?? type] ?? 'text',
    async comment(table, column, text) {
      const place = column === null ? `TABLE ${quoted(table)}` : `COLUMN ${quoted(table)}.${quoted(column)}`
      await query(`COMMENT ON ${place} IS ${client.escapeLiteral(text)}`)
    },
    inTransaction: (work) =>
      lasting(async () => {
        isInTransaction = true
        try {
          await send('BEGIN')
          const result = await work()
          await send('COMMIT')
          return result
        } finally {
          isInTransaction = false
        }
      }),
    close: () => client.end(),
  }
}

async function connect(url: string): Promise<Client> {
  const { default: pg } = await import('pg').catch(() => {
    throw new Refused('A mirror in PostgreSQL needs the package pg: run "npm install pg" beside vitrine-client.')
  })
  const client = new pg.Client({
    connectionString: url,
    application_name: 'vitrine pull',
    connectionTimeoutMillis: 10_000,
  })
  // A connection that is lost between two statements must not end the process: the next statement reports it.
  client.on('error', () => {})
  await client.connect()
  return client
}

// PostgreSQL stores neither the character U+0000 nor a day that does not exist.
function cellOf(value: unknown, isTime: boolean): unknown {
  if (typeof value !== 'string') return value
  return isTime ? (isReal(value) ? value : null) : value.replaceAll('\0', '\uFFFD')
}

function isReal(text: string): boolean {
  const time = new Date(`${text.length === 10 ? `${text}T00:00:00` : text}Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text) && !text.startsWith('0000')
}
