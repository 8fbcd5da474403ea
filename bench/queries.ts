// Runs statements on a company's database. On both engines, rows are arrays of texts and numbers.
import { Client, types } from 'pg'
import { openSqlite } from '../src/platform/sqlite.ts'

export type Value = string | number | null

export interface Queries {
  rows(text: string): Promise<Value[][]>
  close(): Promise<void>
}

// int8: every value that is read here fits a number.
types.setTypeParser(20, Number)

export async function openQueries(url: string): Promise<Queries> {
  if (url.startsWith('sqlite:')) {
    const database = openSqlite(url.slice('sqlite:'.length), { lockTimeoutMs: 10_000 })
    return {
      rows: async (text) => {
        const statement = database.prepare(text)
        statement.setReturnArrays(true)
        return statement.all() as unknown as Value[][]
      },
      close: async () => database.close(),
    }
  }
  const client = new Client(url)
  await client.connect()
  return {
    rows: async (text) => (await client.query<Value[]>({ text, rowMode: 'array' })).rows,
    close: () => client.end(),
  }
}
