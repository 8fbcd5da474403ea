// The only file that uses `mysql2`: a connection to MySQL or MariaDB whose rows come in batches, as the bytes that the server sent, and
// whose failures have one class.
import type { Socket } from 'node:net'
import { createConnection, type Connection, type FieldPacket, type SslOptions } from 'mysql2'
import { tlsOptions } from '../server-url.ts'
import type { MysqlUrl } from './url.ts'

// A failure of the server or of the connection to it, never a defect of ours.
export class MysqlFailure extends Error {
  // The server's error number.
  readonly errno: number | undefined
  // The driver's name of it, or the error code of the socket.
  readonly code: string | undefined

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    const { errno, code } = cause as { errno?: unknown; code?: unknown }
    this.errno = typeof errno === 'number' ? errno : undefined
    this.code = typeof code === 'string' ? code : undefined
  }

  // The server refused or stopped a statement; otherwise the connection failed. Socket errors have negative numbers.
  get isOfStatement(): boolean {
    return this.errno !== undefined && this.errno > 0
  }
}

export interface MysqlColumn {
  readonly name: string
  readonly type: 'text' | 'binary' | 'bit' | 'float' | 'double' | 'decimal' | 'whole' | 'time' | 'other'
  // Its texts are compared by their bytes.
  readonly isBinary: boolean
}

interface MysqlBatch {
  readonly columns: readonly MysqlColumn[]
  readonly rows: readonly (readonly (Buffer | null)[])[]
}

export interface MysqlConnection {
  script(statement: string): Promise<void>
  // The first row.
  row(statement: string): Promise<(string | null)[]>
  // At least one batch, which may be empty. The server waits while the caller works on a batch.
  batches(statement: string, size: number): AsyncGenerator<MysqlBatch>
  // At once, without telling the server. The reason is the end of a sentence.
  close(reason?: string): void
}

export async function connectMysql(url: MysqlUrl, timeoutMs: number): Promise<MysqlConnection> {
  try {
    const tls = await tlsOptions(url.tls)
    const connection = createConnection({
      ...(url.host.startsWith('/') ? { socketPath: url.host } : { host: url.host, port: url.port }),
      user: url.user,
      password: url.password ?? '',
      database: url.database,
      ...(tls === false ? {} : { ssl: { ...tls, verifyIdentity: url.tls.mode === 'checked' } as SslOptions }),
      charset: 'utf8mb4',
      connectTimeout: timeoutMs,
      rowsAsArray: true,
      // Leaves every value as the bytes that the server sent.
      typeCast: false,
      // Never sends a file of this machine, even if the server asks for one.
      flags: ['-LOCAL_FILES'],
    })
    // Node.js checks the certificate against `_host` of the socket. For an IP address it is not set, and "localhost" would be expected.
    Object.assign(socketOf(connection), { _host: url.host })
    // Without a listener, a lost connection would end the process; `methodsOf` fails the running statement.
    connection.on('error', () => {})
    await new Promise<void>((resolve, reject) => connection.connect((error) => (error ? reject(error) : resolve())))
    return methodsOf(connection)
  } catch (error) {
    throw new MysqlFailure(error)
  }
}

const socketOf = (connection: Connection) => (connection as unknown as { readonly stream: Socket }).stream

function methodsOf(connection: Connection): MysqlConnection {
  // Fails the running statement: the driver does not do so when the connection is lost or closed.
  let fail: ((error: Error) => void) | undefined
  const lose = (reason = 'the connection was lost') => fail?.(new Error(reason))
  connection.on('error', () => lose())
  connection.on('end', () => lose())
  const row = (statement: string) =>
    new Promise<(string | null)[]>((resolve, reject) => {
      fail = (error) => reject(new MysqlFailure(error))
      connection.query(statement, (error, rows) => {
        if (error) return reject(new MysqlFailure(error))
        const [first = []] = Array.isArray(rows) ? (rows as unknown as (Buffer | null)[][]) : []
        resolve(first.map((cell) => cell?.toString('utf8') ?? null))
      })
    })
  return {
    row,
    script: async (statement) => void (await row(statement)),
    async *batches(statement, size) {
      let columns: readonly MysqlColumn[] = []
      const query = connection.query(statement)
      // The driver's types of this event are wrong.
      query.on('fields', (fields) => (columns = (fields as unknown as FieldPacket[]).map(columnOf)))
      const stream = query.stream({ highWaterMark: size })
      fail = (error) => stream.destroy(error)
      let rows: (Buffer | null)[][] = []
      let isFirst = true
      try {
        for await (const each of stream) {
          rows.push(each as (Buffer | null)[])
          if (rows.length < size) continue
          yield { columns, rows }
          rows = []
          isFirst = false
        }
      } catch (error) {
        throw new MysqlFailure(error)
      }
      if (isFirst || rows.length > 0) yield { columns, rows }
    },
    close(reason) {
      lose(reason)
      connection.destroy()
      // The driver waits for the server, which may be frozen.
      socketOf(connection).destroy()
    },
  }
}

// By the protocol's number of the type. CHAR, VARCHAR, TEXT and BLOB are texts unless they have the binary collation.
const types: Readonly<Record<number, MysqlColumn['type']>> = {
  0: 'decimal',
  1: 'whole',
  2: 'whole',
  3: 'whole',
  4: 'float',
  5: 'double',
  7: 'time',
  8: 'whole',
  9: 'whole',
  10: 'time',
  12: 'time',
  16: 'bit',
  15: 'text',
  246: 'decimal',
  249: 'text',
  250: 'text',
  251: 'text',
  252: 'text',
  253: 'text',
  254: 'text',
}
const binaryCollation = 63
const binaryFlag = 128

function columnOf({ name, columnType = 0, flags, ...field }: FieldPacket): MysqlColumn {
  const { characterSet } = field as { characterSet?: number }
  const type = types[columnType] ?? 'other'
  const isBinary = ((flags as number) & binaryFlag) !== 0
  return { name, type: type === 'text' && characterSet === binaryCollation ? 'binary' : type, isBinary }
}
