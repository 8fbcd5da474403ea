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
  readonly columns: Map<string, readonly number[]>
  readonly reader: RowReader<Row>
  readonly resolve: (rows: Row[]) => void
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

  override submit = (connection: Connection): void => {
    const { name, columns, reader } = this.#options
    const types = name === undefined ? undefined : columns.get(name)
    if (types) this.#readRow = reader(types)
    return Query.prototype.submit.call(this, types ? (connection as RawConnection).undescribed : connection)
  }

  // The rest is called by `pg` as answers arrive.
  handleRowDescription({ fields }: { readonly fields: readonly { readonly dataTypeID: number }[] }): void {
    const { name, columns, reader } = this.#options
    const types = fields.map(({ dataTypeID }) => dataTypeID)
    if (name !== undefined) columns.set(name, types)
    this.#readRow = reader(types)
  }

  handleDataRow({ bytes, at }: DataRow): void {
    try {
      if (this.#readRow) this.#read.push(this.#readRow(bytes, at))
    } catch (error) {
      this.#failure ??= error
    }
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    if (this.#failure === undefined) this.#options.resolve(this.#read)
    else this.#options.reject(this.#failure)
  }

  handleError(error: unknown): void {
    this.#options.reject(error)
  }
}
