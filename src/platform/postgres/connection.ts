// The only file that uses `pg`'s client: a connection whose statements are prepared once by name, and whose failures have one class.
import type { ConnectionOptions } from 'node:tls'
import { Client, type ClientConfig } from 'pg'
import { connectTimeoutMs, silence, tlsOptions } from '../server-url.ts'
import type { PostgresUrl } from './url.ts'
import { readCells, type PostgresRow, type RowReader } from './cells.ts'
import { requestCancel, type CancelKey } from './cancel.ts'
import { copyRows, type CopyValue } from './copy.ts'
import { RawConnection, Statement } from './statement.ts'

export interface PostgresTexts {
  // `type` is its object id in pg_type.
  readonly columns: readonly { readonly name: string; readonly type: number }[]
  readonly rows: readonly (readonly (string | null)[])[]
}

export class WorkTimeout extends Error {}
export class WaitTimeout extends Error {}

// A failure of the server or of the connection to it, never a defect of ours.
export class PostgresFailure extends Error {
  // SQLSTATE, or the error code of the socket.
  readonly code: string | undefined

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  }

  // For the log: without the stack, which would repeat on every request of an outage.
  toJSON(): unknown {
    return { message: this.message, ...(this.code === undefined ? {} : { code: this.code }) }
  }

  // The server's DETAIL, for example the dependent objects.
  get detail(): string | undefined {
    const { cause } = this
    return cause instanceof Error && 'detail' in cause && typeof cause.detail === 'string' ? cause.detail : undefined
  }

  // Its statement timed out, here or on the server (query_canceled).
  get isLate(): boolean {
    return this.cause instanceof WorkTimeout || this.code === '57014'
  }

  get isCrowded(): boolean {
    return this.cause instanceof WaitTimeout
  }
}

export interface PostgresConnection {
  // One statement, prepared by name at its first run. Its rows are read as they arrive.
  read<Row>(text: string, values: readonly unknown[], reader: RowReader<Row>): Promise<Row[]>
  // The same, its rows as plain values.
  rows(text: string, values?: readonly unknown[]): Promise<PostgresRow[]>
  // One statement, its values as the texts that the server sent.
  texts(text: string): Promise<PostgresTexts>
  // One writing statement; returns the number of affected rows.
  affect(text: string): Promise<number>
  // Statements without parameters, in one round trip.
  script(text: string): Promise<void>
  // Asks the server to stop the running statement.
  cancel(): void
  isConnected(): boolean
  // Connected, and in no transaction.
  isUsable(): boolean
  close(): Promise<void>
  // At once, without telling the server. The reason is the end of a sentence.
  destroy(reason?: string): void
  // Inserts rows by COPY.
  copy(into: string, rows: readonly (readonly CopyValue[])[]): Promise<void>
}

interface ConnectOptions {
  // For the connection and its set-up.
  readonly timeoutMs?: number
  // Run once, before anything else.
  readonly setUp: string
  readonly onLost?: () => void
  // Statements are sent without waiting for earlier answers. Not for COPY.
  readonly isPipelined?: boolean
  // A statement without an answer after this time ends the connection: the server is frozen, or the network is lost.
  readonly silenceMs?: number | undefined
}

// Statements beyond these are prepared at each run. They differ only by the shape of the request, so few do.
const mostNamed = 500
const closePatienceMs = 1000
const keepAliveInitialDelayMillis = 10_000

const asFailure = async <Result>(run: () => Promise<Result>): Promise<Result> => {
  try {
    return await run()
  } catch (error) {
    throw new PostgresFailure(error)
  }
}

export async function connectPostgres(url: PostgresUrl, options: ConnectOptions): Promise<PostgresConnection> {
  const tls = await asFailure(() => tlsOptions(url.tls))
  return connectOver(url, tls, options)
}

async function connectOver(
  url: PostgresUrl,
  tls: ConnectionOptions | false,
  { timeoutMs = connectTimeoutMs, setUp, onLost = () => {}, isPipelined = false, silenceMs }: ConnectOptions,
): Promise<PostgresConnection> {
  const connection = new RawConnection({ ssl: tls, keepAlive: true, keepAliveInitialDelayMillis })
  const config = { ...clientConfig(url, tls), connection, pipeline: isPipelined }
  const client = new Client(config)
  let isLost = false
  client.on('error', () => {
    isLost = true
    onLost()
  })
  client.on('end', () => {
    isLost = true
  })
  const names = new Map<string, string>()
  const nameOf = (text: string) => {
    const known = names.get(text)
    if (known !== undefined || names.size >= mostNamed) return known
    names.set(text, `s${names.size}`)
    return names.get(text)
  }
  // By statement name.
  const columnTypes = new Map<string, readonly number[]>()
  // Statements of one tick leave in one write, because a write takes longer than the rest of a small statement.
  let isCorked = false
  const cork = () => {
    if (isCorked || !isPipelined) return
    isCorked = true
    const { stream } = client.connection
    stream.cork()
    process.nextTick(() => {
      isCorked = false
      stream.uncork()
    })
  }
  const destroy = (reason?: string) => {
    isLost = true
    client.connection.stream.destroy(reason === undefined ? undefined : new Error(reason))
  }
  const run = async <Result>(statement: () => Promise<Result>): Promise<Result> => {
    const timer = silenceMs === undefined ? undefined : setTimeout(destroy, silenceMs, silence)
    return await asFailure(statement).finally(() => clearTimeout(timer))
  }
  // For both steps: the library's own timeout covers only the first.
  const timer = setTimeout(() => client.connection.stream.destroy(new Error('it does not answer')), timeoutMs)
  try {
    await client.connect()
    await client.query(setUp)
  } catch (error) {
    destroy()
    throw new PostgresFailure(error)
  } finally {
    clearTimeout(timer)
  }
  const read = async <Row>(text: string, values: readonly unknown[], reader: RowReader<Row>) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const statement = new Statement({ text, values, name: nameOf(text), columnTypes, reader, resolve, reject })
    await run(() => {
      cork()
      client.query(statement)
      return promise
    })
    return statement.result()
  }
  return {
    read,
    rows: (text, values = []) => read(text, values, readCells),
    texts: (text) =>
      run(async () => {
        const types = { getTypeParser: () => (value: string) => value }
        const { fields, rows } = await client.query<(string | null)[]>({
          text,
          rowMode: 'array',
          types,
        })
        return { columns: fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })), rows }
      }),
    affect: (text) => run(async () => (await client.query(text)).rowCount ?? 0),
    script: (text) => run(async () => void (await client.query(text))),
    copy: (into, rows) => run(() => copyRows(client, into, rows)),
    cancel: () => requestCancel(url, tls, client as unknown as CancelKey, timeoutMs),
    isConnected: () => !isLost,
    // What was sent down a pipeline is in order: a transaction that was begun is ended before the next one.
    isUsable: () => !isLost && (isPipelined || client.getTransactionStatus() === 'I'),
    async close() {
      if (isLost) return
      const timer = setTimeout(destroy, closePatienceMs)
      await client.end().catch(() => {})
      clearTimeout(timer)
    },
    destroy,
  }
}

const clientConfig = (url: PostgresUrl, tls: ConnectionOptions | false): ClientConfig => ({
  host: url.host,
  port: url.port,
  user: url.user,
  database: url.database,
  // A function, because for an empty text the library looks in the environment and in files.
  password: () => url.password ?? '',
  ssl: tls,
  // The library would look in the environment.
  sslnegotiation: 'postgres',
  application_name: 'vitrine',
})
