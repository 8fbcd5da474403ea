// The one door to `pg`: a connection whose rows are arrays of plain values, whose statements are prepared once by name, and
// whose failures all have one shape. Times stay the local times they are: no Date ever stands in between.
import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { Client, type ClientConfig } from 'pg'
import type { PostgresUrl } from './url.ts'
import { requestCancel, type CancelKey } from './cancel.ts'
import { copyRows, type CopyValue } from './copy.ts'
import { parserOf } from './values.ts'

export type PostgresCell = string | number | bigint | boolean | null | Uint8Array
export type PostgresRow = readonly PostgresCell[]

// It took longer than it may: the work, or the wait for a connection.
export class Late extends Error {}
export class NoneFree extends Error {}

// Whatever the server or the way to it refused; never a mistake of ours in JavaScript.
export class PostgresFailure extends Error {
  // SQLSTATE, or the code of the socket.
  readonly code: string | undefined

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  }

  // For the log: where in the library it was thrown tells nobody anything, on every request of an outage.
  toJSON(): unknown {
    return { message: this.message, ...(this.code === undefined ? {} : { code: this.code }) }
  }

  // What the server adds: which objects depend on it, say.
  get detail(): string | undefined {
    const { cause } = this
    return cause instanceof Error && 'detail' in cause && typeof cause.detail === 'string' ? cause.detail : undefined
  }

  // Its statement was stopped because the time for it had passed, here or on the server (query_canceled).
  get isLate(): boolean {
    return this.cause instanceof Late || this.code === '57014'
  }

  get isCrowded(): boolean {
    return this.cause instanceof NoneFree
  }
}

export interface PostgresConnection {
  // One statement, prepared by name at its first run.
  rows(text: string, values?: readonly unknown[]): Promise<PostgresRow[]>
  // One statement that writes: how many rows it wrote.
  affect(text: string): Promise<number>
  // One or several statements without values, in one round trip.
  script(text: string): Promise<void>
  // Asks the server to stop the statement under way.
  cancel(): void
  isConnected(): boolean
  // Connected, and in no transaction.
  isUsable(): boolean
  // Politely, or at once when the other side does not answer any more.
  close(): Promise<void>
  destroy(): void
  // Rows into a table, by COPY.
  copy(into: string, rows: readonly (readonly CopyValue[])[]): Promise<void>
}

interface ConnectOptions {
  readonly timeoutMs: number
  // Run once, before anything else.
  readonly setUp: string
  // The connection broke, in use or not.
  readonly onLost?: () => void
  // Statements are sent as they come, without waiting for the answers of those before them. Not for COPY.
  readonly isPipelined?: boolean
}

// Statements differ by the shape of the request only; odd combinations beyond these are prepared at each run.
const mostNamed = 500
// How long a server may take to say goodbye.
const closePatienceMs = 1000

const refusing = async <Result>(run: () => Promise<Result>): Promise<Result> => {
  try {
    return await run()
  } catch (error) {
    throw new PostgresFailure(error)
  }
}

export async function connectPostgres(url: PostgresUrl, options: ConnectOptions): Promise<PostgresConnection> {
  // Certificates may have been renewed since the last connection.
  const tls = await refusing(async () => tlsOptions(url))
  return connectOver(url, tls, options)
}

async function connectOver(
  url: PostgresUrl,
  tls: ConnectionOptions | false,
  { timeoutMs, setUp, onLost = () => {}, isPipelined = false }: ConnectOptions,
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
  // What is asked for in one run of JavaScript goes out in one write: a write takes longer than the rest of a small statement.
  let isHeld = false
  const hold = () => {
    if (isHeld || !isPipelined) return
    isHeld = true
    const { stream } = client.connection
    stream.cork()
    process.nextTick(() => {
      isHeld = false
      stream.uncork()
    })
  }
  const destroy = () => {
    isLost = true
    client.connection.stream.destroy()
  }
  // Over both: the library's own time limit ends with the connection.
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
      refusing(async () => {
        const name = nameOf(text)
        hold()
        const query = { text, values: [...values], rowMode: 'array' as const, ...(name === undefined ? {} : { name }) }
        return (await client.query<PostgresCell[]>(query)).rows
      }),
    affect: (text) => refusing(async () => (await client.query(text)).rowCount ?? 0),
    script: (text) => refusing(async () => void (await client.query(text))),
    copy: (into, rows) => refusing(() => copyRows(client, into, rows)),
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

const clientConfig = (url: PostgresUrl, tls: ConnectionOptions | false): ClientConfig => ({
  host: url.host,
  port: url.port,
  user: url.user,
  database: url.database,
  // As a function: an empty text would make the library look for one in the environment and in files.
  password: () => url.password ?? '',
  ssl: tls,
  application_name: 'vitrine',
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  types: { getTypeParser: parserOf as never },
})

function tlsOptions({ tls }: PostgresUrl): ConnectionOptions | false {
  if (tls.mode === 'off') return false
  const [ca, cert, key] = [tls.rootCert, tls.cert, tls.key].map(readIfNamed)
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: tls.mode !== 'encrypted',
    ...(tls.mode === 'trusted' ? { checkServerIdentity: () => undefined } : {}),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
}

const readIfNamed = (file: string | null) => (file === null ? undefined : readFileSync(file, 'utf8'))
