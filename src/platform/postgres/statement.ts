// A prepared statement whose rows are read from the bytes of the socket. `pg` would make a text of every cell, and ask for the types of
// the columns at each run.
import { Connection, Query, type ConnectionConfig } from 'pg'
import { Parser } from 'pg-protocol/dist/parser.js'
import { textsIn, type ReadRow, type RowReader } from './cells.ts'

const dataRowCode = 0x44

// A message as `pg` hands it on.
class DataRow {
  readonly name = 'dataRow'
  readonly bytes: Buffer
  readonly at: number

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes
    this.at = at
  }

  // For queries of `pg` itself.
  get fields() {
    return textsIn(this.bytes, this.at)
  }
}

// What its types lack.
interface RawParser {
  handlePacket(at: number, code: number, length: number, bytes: Buffer): unknown
}

export class RawConnection extends Connection {
  // The same connection, which does not ask for the types of columns.
  readonly undescribed: this

  constructor(config: ConnectionConfig & { readonly keepAliveInitialDelayMillis: number }) {
    super(config)
    this.undescribed = Object.assign(Object.create(this) as this, { describe() {} })
  }

  // Called by `pg`.
  attachListeners(stream: NodeJS.ReadableStream): void {
    const parser = new Parser()
    const own = parser as unknown as RawParser
    const others = own.handlePacket.bind(parser)
    own.handlePacket = (at, code, length, bytes) =>
      code === dataRowCode ? new DataRow(bytes, at) : others(at, code, length, bytes)
    stream.on('data', (bytes: Buffer) =>
      parser.parse(bytes, (message) => this.emit(message.name === 'error' ? 'errorMessage' : message.name, message)),
    )
  }
}

interface StatementOptions<Row> {
  readonly text: string
  readonly values: readonly unknown[]
  // None: prepared for this run.
  readonly name: string | undefined
  // The types of the columns of the connection's statements, by name.
  readonly columnTypes: Map<string, readonly number[]>
  readonly reader: RowReader<Row>
  // When all has arrived.
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export class Statement<Row> extends Query {
  readonly #options: StatementOptions<Row>
  readonly #read: Row[] = []
  #readRow: ReadRow<Row> | undefined
  #failure: unknown

  constructor(options: StatementOptions<Row>) {
    const { text, values, name } = options
    super({ text, values: [...values], ...(name === undefined ? {} : { name }) })
    this.#options = options
  }

  // Throws what the reader has thrown: that is no failure of the server.
  result(): Row[] {
    if (this.#failure !== undefined) throw this.#failure
    return this.#read
  }

  override submit = (connection: Connection): void => {
    const { name, columnTypes, reader } = this.#options
    const types = name === undefined ? undefined : columnTypes.get(name)
    if (types) this.#readRow = reader(types)
    return Query.prototype.submit.call(this, types ? (connection as RawConnection).undescribed : connection)
  }

  // The rest is called by `pg` as answers arrive.
  handleRowDescription({ fields }: { readonly fields: readonly { readonly dataTypeID: number }[] }): void {
    const { name, columnTypes, reader } = this.#options
    const types = fields.map(({ dataTypeID }) => dataTypeID)
    if (name !== undefined) columnTypes.set(name, types)
    this.#readRow = reader(types)
  }

  handleDataRow({ bytes, at }: DataRow): void {
    try {
      this.#read.push((this.#readRow as ReadRow<Row>)(bytes, at))
    } catch (error) {
      this.#failure ??= error
    }
  }

  handleCommandComplete(): void {
    const { name, columnTypes } = this.#options
    // It gives no rows.
    if (name !== undefined && !this.#readRow) columnTypes.set(name, [])
  }

  handleReadyForQuery(): void {
    this.#options.resolve()
  }

  handleError(error: unknown): void {
    this.#options.reject(error)
  }
}
