// Findings about the SQLite file: declared types, write-ahead log, and rights of this user.
import { accessSync, constants } from 'node:fs'
import { relations } from '../../contract/relations.ts'
import type { ColumnType } from '../../contract/relation.ts'
import { readSqliteHeader } from '../../platform/sqlite.ts'
import { sqliteTypes } from '../../sql/sqlite-schema.ts'
import type { Finding } from './finding.ts'
import type { CheckContext } from './question.ts'

export function fileFindings({ url, shape }: CheckContext): Finding[] {
  if (url.kind !== 'sqlite') return []
  const declared = relations.flatMap(({ name, columns }) =>
    Object.entries(columns).flatMap(([column, type]) => {
      const found = shape.relations.get(name)
      const declaration = found?.isStrict ? undefined : found?.columns.get(column)?.type
      return declaration === undefined ? [] : declaredType(name, column, type, declaration)
    }),
  )
  return [...declared, ...walFinding(url.path), ...writableFinding(url.path)]
}

// SQLite converts values to the affinity of the declared type (section 3.1 of its documentation on types): 00123 in a column
// of numbers becomes 123. Times are never converted.
function affinityOf(declaration: string): 'number' | 'text' | 'none' {
  if (/INT/i.test(declaration)) return 'number'
  if (/CHAR|CLOB|TEXT/i.test(declaration)) return 'text'
  return declaration === '' || /BLOB|ANY/i.test(declaration) ? 'none' : 'number'
}

const isNumber = (type: ColumnType) => type === 'int' || type === 'num' || type === 'bool'

function declaredType(relation: string, column: string, type: ColumnType, declaration: string): Finding[] {
  const affinity = affinityOf(declaration)
  const changes = (affinity === 'number' && type === 'text') || (affinity === 'text' && isNumber(type))
  if (!changes) return []
  return [
    {
      code: 'declared_type',
      relation,
      column,
      message: `It is declared ${declaration}, so SQLite converts its values to ${affinity === 'text' ? 'text' : 'numbers if possible (00123 becomes 123)'}.`,
      remedy: `Declare it ${sqliteTypes[type]}, as "vitrine schema print" does.`,
    },
  ]
}

const walFinding = (path: string): Finding[] =>
  readSqliteHeader(path)?.isWal === true
    ? []
    : [
        {
          code: 'not_wal',
          message: 'The file has no write-ahead log, so readers and tills wait for each other.',
          remedy: 'Run this once, while no program uses the file ("vitrine schema apply" does it, too):',
          statements: ['PRAGMA journal_mode = WAL'],
        },
      ]

function writableFinding(path: string): Finding[] {
  try {
    accessSync(path, constants.W_OK)
  } catch {
    return []
  }
  return [
    {
      code: 'file_writable',
      message: 'This user may write to the file. Vitrine opens it read-only.',
      remedy: 'Nothing: a reader of a file with a write-ahead log must be able to write to its folder.',
    },
  ]
}
