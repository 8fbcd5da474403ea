// COPY … FROM STDIN, the fastest way into a table: one statement for each batch of rows, in PostgreSQL's text format.
import type { Client, Connection } from 'pg'

export type CopyValue = string | number | bigint | boolean | null

// Methods of `pg`'s connection that its types lack.
interface CopyingConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

export function copyRows(client: Client, into: string, rows: readonly (readonly CopyValue[])[]): Promise<void> {
  const lines = rows.map((row) => `${row.map(copyText).join('\t')}\n`)
  const data = Buffer.from(lines.join(''))
  return new Promise((resolve, reject) => {
    let failure: Error | undefined
    client.query({
      submit: (connection: Connection) => connection.query(`COPY ${into} FROM STDIN`),
      handleCopyInResponse(connection: CopyingConnection) {
        connection.sendCopyFromChunk(data)
        connection.endCopyFrom()
      },
      handleCommandComplete() {},
      handleError(error: Error) {
        failure = error
        reject(error)
      },
      handleReadyForQuery() {
        if (!failure) resolve()
      },
    })
  })
}

function copyText(value: CopyValue): string {
  if (value === null) return '\\N'
  if (typeof value !== 'string') return String(value)
  return value.replaceAll(/[\\\t\n\r]/g, (character) => escapes[character] ?? character)
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
