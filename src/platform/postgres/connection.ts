// The only file that uses `pg`'s client: a connection whose rows are arrays of plain values, whose statements are prepared once by
// name, and whose failures have one class. Times stay texts and are never turned into a Date.
import type { ConnectionOptions } from 'node:tls'
import { Client, type ClientConfig } from 'pg'
import { silence, tlsOptions } from '../server-url.ts'
import type { PostgresUrl } from './url.ts'
import { requestCancel, type CancelKey } from './cancel.ts'
import { copyRows, type CopyValue } from './copy.ts'

type PostgresCell = string | number | bigint | boolean | null | Uint8Array
export type PostgresRow = readonly PostgresCell[]

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
  // One statement, prepared by name at its first run.
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
  readonly timeoutMs: number
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
  { timeoutMs, setUp, onLost = () => {}, isPipelined = false, silenceMs }: ConnectOptions,
): Promise<PostgresConnection> {
  const client = new Client({ ...clientConfig(url, tls), pipeline: isPipelined })
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
  return {
    rows: (text, values = []) =>
      run(async () => {
        const name = nameOf(text)
        cork()
        const query = { text, values: [...values], rowMode: 'array' as const, ...(name === undefined ? {} : { name }) }
        return (await client.query<PostgresCell[]>(query)).rows
      }),
    texts: (text) =>
      run(async () => {
        const types = { getTypeParser: () => unchanged }
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
    isUsable: () => !isLost && client.getTransactionStatus() === 'I',
    async close() {
      if (isLost) return
      const timer = setTimeout(destroy, closePatienceMs)
      await client.end().catch(() => {})
      clearTimeout(timer)
    },
    destroy,
  }
}

// The text of a value as PostgreSQL sends it → a plain value. An integer beyond 2^53 keeps its digits.
type ParseText = (text: string) => string | number | bigint | boolean | Uint8Array

const integer: ParseText = (text) => {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : BigInt(text)
}

// By the object id of the type in pg_type.
const parsers: Readonly<Record<number, ParseText>> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex'),
  20: integer,
  21: Number,
  23: Number,
  700: Number,
  701: Number,
  1700: Number,
  1114: (text) => text.replace(' ', 'T'),
}

const unchanged: ParseText = (text) => text

const parserOf = (type: number): ParseText => parsers[type] ?? unchanged

const clientConfig = (url: PostgresUrl, tls: ConnectionOptions | false): ClientConfig => ({
  host: url.host,
  port: url.port,
  user: url.user,
  database: url.database,
  // A function, because for an empty text the library looks in the environment and in files.
  password: () => url.password ?? '',
  ssl: tls,
  application_name: 'vitrine',
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  types: { getTypeParser: parserOf as never },
})
