// Copies from a PostgreSQL database, through a cursor in one read-only transaction. The server itself stops a statement that takes too
// long, unless it is frozen.
import { OperatorError } from '../../errors.ts'
import {
  connectPostgres,
  PostgresFailure,
  type PostgresConnection,
  type PostgresTexts,
} from '../../platform/postgres/connection.ts'
import { reachProblem, statementProblem } from '../../platform/postgres/problems.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import {
  centsBelow,
  quoteText,
  rowsAtOnce,
  silenceMsOf,
  SourceChanged,
  SourceFailure,
  SourceTimeout,
  type NumberKind,
  type SourceBatch,
  type SourceOptions,
  type UseSource,
} from './source.ts'

const setting = 'the source'

export async function withPostgresSource<Result>(
  url: PostgresUrl,
  { timeZone, timeoutMs, signal }: SourceOptions,
  use: UseSource<Result>,
): Promise<Result> {
  // cursor_tuple_fraction: plans for all rows of a statement, not for the first ones.
  const setUp = `${sessionSetUp(url, { timeoutMs, isReadOnly: true })}; SET timezone = ${quoteText(timeZone)}; SET cursor_tuple_fraction = 1`
  const connection = await connectPostgres(url, {
    setUp,
    silenceMs: silenceMsOf(timeoutMs),
  }).catch((error: unknown) => {
    throw error instanceof PostgresFailure ? new OperatorError(reachProblem(setting, url, error), 1) : error
  })
  const stop = () => {
    connection.cancel()
    connection.destroy()
  }
  signal.addEventListener('abort', stop)
  try {
    await connection.script('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    return await use({
      quoteText,
      async *batches(select) {
        try {
          for await (const read of throughCursor(connection, select, timeoutMs)) {
            signal.throwIfAborted()
            yield batchOf(read)
          }
        } catch (error) {
          if (!(error instanceof PostgresFailure) || !connection.isConnected()) throw error
          if (error.isLate) throw new SourceTimeout(timeoutMs)
          await connection.script(freeLocks)
          throw new SourceFailure(error.message)
        }
      },
    })
  } catch (error) {
    if (!(error instanceof PostgresFailure)) throw error
    throw new OperatorError((connection.isConnected() ? statementProblem : reachProblem)(setting, url, error), 1)
  } finally {
    signal.removeEventListener('abort', stop)
    await connection.close()
  }
}

// Keeps the transaction, and with it the snapshot.
const freeLocks = 'ROLLBACK TO SAVEPOINT copied; RELEASE SAVEPOINT copied'

// ALTER and TRUNCATE may give a table a new file, in which a snapshot from before sees no rows. The rows of pg_class are the snapshot's;
// the function reads what is true now.
const madeAnew = `SELECT c.oid::regclass FROM pg_locks l LEFT JOIN pg_class c ON c.oid = l.relation
  WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation'
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (c.oid IS NULL OR (c.relkind IN ('r', 'm') AND c.relfilenode <> 0 AND c.relfilenode <> pg_relation_filenode(c.oid)))
  LIMIT 1`

// At least one batch, which may be empty.
async function* throughCursor(
  connection: PostgresConnection,
  select: string,
  timeoutMs: number,
): AsyncGenerator<PostgresTexts> {
  const endsAt = performance.now() + timeoutMs
  await connection.script(`SAVEPOINT copied; DECLARE copied NO SCROLL CURSOR FOR ${select}`)
  for (let isFirst = true; ; isFirst = false) {
    const read = await connection.texts(`FETCH ${rowsAtOnce} FROM copied`)
    if (isFirst || read.rows.length > 0) yield read
    if (read.rows.length < rowsAtOnce) break
    if (performance.now() > endsAt) throw new SourceTimeout(timeoutMs)
  }
  const {
    rows: [changed],
  } = await connection.texts(madeAnew)
  if (changed) throw new SourceChanged(`${changed[0] ?? 'a table'} was made anew`)
  await connection.script(freeLocks)
}

// Object ids of types. From `firstOwn` on, types were created in this database, such as citext.
const [char, zoned] = [1042, 1184]
const floats: Readonly<Record<number, number>> = { 700: centsBelow.single, 701: centsBelow.double }
const numberKinds: Readonly<Record<number, NumberKind>> = {
  20: 'whole',
  21: 'whole',
  23: 'whole',
  700: 'double',
  701: 'double',
  1700: 'decimal',
}
const texts = new Set([17, 19, 25, char, 1043, 2950])
const firstOwn = 16384

function batchOf({ columns, rows }: PostgresTexts): SourceBatch {
  const readers = columns.map(({ type }) => readerOf(type))
  return {
    // Not `isBytes`: a literal of bytea is a text.
    columns: columns.map(({ name, type }) => ({
      name,
      isText: texts.has(type) || type >= firstOwn,
      centsBelow: floats[type],
      numberKind: numberKinds[type],
    })),
    rows: rows.map((row) => row.map((cell, at) => (cell === null ? null : (readers[at]?.(cell) ?? cell)))),
  }
}

function readerOf(type: number): ((text: string) => string) | undefined {
  if (type in floats) return (text) => String(Number(text))
  // Drops the offset: the session is in the company's zone.
  if (type === zoned) return (text) => text.replace(/[+-]\d\d(:\d\d)*$/, '')
  // CHAR(n) is padded with blanks.
  return type === char ? (text) => text.trimEnd() : undefined
}
