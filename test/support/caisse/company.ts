// What the tills of a views place write: scripts in the words of the source contract are run on tables of the contract in memory,
// and what became of the rows is what Caisse is to hold.
import { relations } from '../../../src/contract/relations.ts'
import { tableStatements } from '../../../src/sql/schema.ts'
import { sqliteSchema } from '../../../src/sql/sqlite-schema.ts'
import { openSqlite, type Sqlite } from '../../../src/platform/sqlite.ts'
import { insertRows, type Rows } from '../pos.ts'
import { tableNames } from './columns.ts'
import { toCaisse, type CaisseRows, type Cents } from './rows.ts'

export interface Company {
  // The tables that the script may have changed, whole.
  write(script: string): CaisseRows
  close(): void
}

export function createCompany(rows: Rows, cents: Cents): Company {
  let open: Sqlite | undefined
  const opened = () => {
    if (open) return open
    open = openSqlite(':memory:')
    for (const statement of tableStatements(sqliteSchema)) open.exec(statement)
    insertRows(open, rows)
    return open
  }
  return {
    write(script) {
      const sqlite = opened()
      sqlite.exec(script)
      const now = relations.map(({ name }) => {
        const statement = sqlite.prepare(`SELECT * FROM "${name}"`)
        statement.setReadBigInts(true)
        return [name, statement.all()]
      })
      const whole = toCaisse(Object.fromEntries(now) as Rows, cents)
      // By the first word: what is archived, and what belongs to it, is shown or not by what is recent.
      const isNamed = (relation: string) => new RegExp(`\\b${relation.split(/s?_|s$/)[0]}`).test(script)
      const named = Object.entries(tableNames).filter(([relation]) => isNamed(relation))
      return new Map(named.map(([, table]) => [table, whole.get(table) ?? []]))
    },
    close: () => open?.close(),
  }
}
