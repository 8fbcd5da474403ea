// Copies from MySQL or MariaDB, in one read-only transaction. The server itself stops a statement that takes too long,
// unless it is frozen.
import { OperatorError } from '../../errors.ts'
import { timeWithOffset } from '../../platform/clock.ts'
import { connectMysql, MysqlFailure, type MysqlColumn, type MysqlConnection } from '../../platform/mysql/connection.ts'
import type { MysqlUrl } from '../../platform/mysql/url.ts'
import { connectTimeoutMs, serverProblem, silence } from '../../platform/server-url.ts'
import {
  centsBelow,
  quoteText,
  rowsAtOnce,
  silenceMsOf,
  SourceChanged,
  SourceFailure,
  SourceTimeout,
  type NumberKind,
  type SourceOptions,
  type UseSource,
} from './source.ts'

export async function withMysqlSource<Result>(
  url: MysqlUrl,
  options: SourceOptions,
  use: UseSource<Result>,
): Promise<Result> {
  const { timeoutMs, signal } = options
  let connection: MysqlConnection | undefined
  const close = () => connection?.close()
  signal.addEventListener('abort', close)
  try {
    const opened = await connectMysql(url, connectTimeoutMs)
    connection = opened
    const giveUp = () => opened.close(silence)
    const within = <Done>(timeMs: number, work: Promise<Done>): Promise<Done> => {
      const timer = setTimeout(giveUp, timeMs)
      return work.finally(() => clearTimeout(timer))
    }
    const sqlMode = await within(connectTimeoutMs, beginSnapshot(opened, url, options))
    const script = (statement: string) => within(silenceMsOf(timeoutMs), opened.script(statement))
    const freeLocks = () => script('ROLLBACK TO SAVEPOINT copied')
    return await use({
      quoteText: quoteIn(sqlMode),
      async *batches(select) {
        await script('SAVEPOINT copied')
        try {
          for await (const { columns, rows } of inTime(
            opened.batches(select, rowsAtOnce),
            silenceMsOf(timeoutMs),
            giveUp,
          )) {
            signal.throwIfAborted()
            const readers = columns.map(readerOf)
            yield {
              columns: columns.map(({ name, type, isBinary }) => ({
                name,
                isText: type === 'text' || type === 'binary',
                ignoresCase: type === 'text' && !isBinary,
                isBytes: type === 'binary',
                centsBelow: floats[type],
                numberKind: numberKinds[type],
              })),
              rows: rows.map((row) => row.map((cell, at) => (cell === null ? null : (readers[at] ?? plainText)(cell)))),
            }
          }
        } catch (error) {
          signal.throwIfAborted()
          if (!(error instanceof MysqlFailure) || !error.isOfStatement) throw error
          if (late.has(error.errno ?? 0)) throw new SourceTimeout(timeoutMs)
          if (error.errno === definitionChanged) throw new SourceChanged(error.message)
          await freeLocks()
          throw new SourceFailure(error.message)
        }
        await freeLocks()
      },
    })
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof MysqlFailure)) throw error
    const { said, hint } = serverProblem(error.message, error.code ?? '')
    const access = error.errno === accessDenied && url.tls.mode === 'off' ? withoutEncryption : hint
    throw new OperatorError(`The source at ${addressOf(url)} cannot be used: ${said}.${access}`, 1)
  } finally {
    signal.removeEventListener('abort', close)
    connection?.close()
  }
}

// The time that the reader of the items takes does not count.
async function* inTime<Item>(items: AsyncIterable<Item>, silenceMs: number, giveUp: () => void): AsyncGenerator<Item> {
  let timer = setTimeout(giveUp, silenceMs)
  try {
    for await (const item of items) {
      clearTimeout(timer)
      yield item
      timer = setTimeout(giveUp, silenceMs)
    }
  } finally {
    clearTimeout(timer)
  }
}

const addressOf = ({ host, port }: MysqlUrl) => (host.startsWith('/') ? host : `${host}:${port}`)

// MariaDB reports a wrong password and a client without required TLS by the same number.
const accessDenied = 1045
const withoutEncryption = ' Check user and password; if the server demands TLS, add sslmode=verify-full to the URL.'

// Errors of a statement that the server stopped: MariaDB's and MySQL's.
const late = new Set([1969, 3024])

// "Table definition has changed, please retry transaction": after ALTER, OPTIMIZE or TRUNCATE.
const definitionChanged = 1412

const quoteIn = (sqlMode: string) => (text: string) =>
  quoteText(sqlMode.includes('NO_BACKSLASH_ESCAPES') ? text : text.replaceAll('\\', '\\\\'))

// Returns the server's sql_mode.
async function beginSnapshot(
  connection: MysqlConnection,
  url: MysqlUrl,
  { timeZone, timeoutMs }: SourceOptions,
): Promise<string> {
  const [version = '', sqlMode] = await connection.row('SELECT version(), @@sql_mode')
  const isMariaDb = /mariadb/i.test(version ?? '')
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
  if (isMariaDb ? major < 10 || (major === 10 && minor < 6) : major < 8)
    throw new OperatorError(
      `The source at ${addressOf(url)} is ${isMariaDb ? 'MariaDB' : 'MySQL'} ${version}: MariaDB 10.6 or MySQL 8 is needed, or a newer one.`,
      1,
    )
  await connection.script(
    isMariaDb
      ? `SET SESSION max_statement_time = ${timeoutMs / 1000}`
      : `SET SESSION max_execution_time = ${timeoutMs}`,
  )
  if (url.timeZone === null) await useTimeZone(connection, url, timeZone, isMariaDb)
  else await connection.script(`SET SESSION time_zone = '${url.timeZone}'`)
  await connection.script('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')
  await connection.script('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY')
  return sqlMode ?? ''
}

const unknownZone = 1298

// TIMESTAMP columns are given in the zone of the session. A server that does not know the name of the company's zone may still be in
// it: then both give the same time at the beginning of each of 240 months.
async function useTimeZone(
  connection: MysqlConnection,
  url: MysqlUrl,
  timeZone: string,
  isMariaDb: boolean,
): Promise<void> {
  try {
    return await connection.script(`SET SESSION time_zone = '${timeZone}'`)
  } catch (error) {
    if (!(error instanceof MysqlFailure) || error.errno !== unknownZone) throw error
  }
  await connection.script("SET SESSION time_zone = 'SYSTEM'")
  const localTime = timeWithOffset(timeZone)
  const expected = (seconds: number) =>
    localTime(seconds * 1000)
      .slice(0, 19)
      .replace('T', ' ')
  const seconds = Array.from({ length: 240 }, (_, month) => Date.UTC(2015, month) / 1000)
  const there = await connection.row(`SELECT ${seconds.map((each) => `FROM_UNIXTIME(${each})`).join(', ')}`)
  if (seconds.every((each, at) => expected(each) === there[at])) return
  throw new OperatorError(
    `The source at ${addressOf(url)} does not know the time zone ${timeZone} (VITRINE_TIME_ZONE), and is in another one: load its ` +
      `time zones (${isMariaDb ? 'mariadb-tzinfo-to-sql /usr/share/zoneinfo | mariadb' : 'mysql_tzinfo_to_sql /usr/share/zoneinfo | mysql'} -u root mysql), ` +
      'so that it can give TIMESTAMP columns in that zone. If your views read no TIMESTAMP column, add time_zone=SYSTEM to the URL instead.',
    1,
  )
}

// The server sends only six digits of a FLOAT.
const floats: Readonly<Partial<Record<MysqlColumn['type'], number>>> = { float: 10_000, double: centsBelow.double }

const numberKinds: Readonly<Partial<Record<MysqlColumn['type'], NumberKind>>> = {
  decimal: 'decimal',
  float: 'double',
  double: 'double',
  whole: 'whole',
}

const plainText = (cell: Buffer) => cell.toString('utf8')

function readerOf({ type }: MysqlColumn): (cell: Buffer) => string | null {
  switch (type) {
    case 'float':
    case 'double':
      return (cell) => String(Number(plainText(cell)))
    case 'bit':
      return (cell) => String(cell.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n))
    case 'binary':
      return (cell) => cell.toString('hex')
    case 'time':
      // A date whose month or day is zero is no date.
      return (cell) => (/^\d{4}-(?:00-|\d\d-00)/.test(plainText(cell)) ? null : plainText(cell))
    case 'text':
    case 'decimal':
    case 'whole':
    case 'other':
      return plainText
  }
}
