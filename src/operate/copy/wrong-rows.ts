// Rows of the source that the checks refuse: what is known of each, so that its record keeps its last good state and is read again.
import type { Relation } from '../../contract/relation.ts'
import type { Duplicate } from '../import/scan.ts'
import type { ImportColumn, ImportColumns, StoredValue } from '../import/values.ts'
import { recordColumns } from './families.ts'
import type { WrongRow } from './kept-out.ts'
import { isTextAt, type Source, type SourceBatch, type SourceColumn } from './source.ts'

// The id of a record, to find it again in the source.
export function literal(id: string, row: number, column: SourceColumn | undefined, { quoteText }: Source): string {
  if (column?.isBytes) return `x'${id}'`
  return (column && isTextAt(column, row)) || !/^-?\d+$/.test(id) ? quoteText(id) : id
}

interface WrongOptions extends Pick<WrongRow, 'line' | 'faults'> {
  readonly relation: Relation
  readonly places: readonly (Pick<ImportColumn, 'name' | 'isKey'> | undefined)[]
  readonly columns: ImportColumns
  readonly batch: SourceBatch
  readonly source: Source
}

export function wrongRow(
  row: readonly (string | null)[],
  rowAt: number,
  values: readonly StoredValue[],
  { relation, places, columns, batch, source, line, faults }: WrongOptions,
): WrongRow {
  const valuesOf = (names: readonly string[]) => {
    const found = names.map((name) => values[columns.find(name)?.at ?? -1] ?? null)
    return found.includes(null) ? null : found
  }
  const [recordColumn = ''] = recordColumns(relation)
  const at = places.findIndex((place) => place?.name === recordColumn)
  const text = row[at] ?? ''
  const record = valuesOf(recordColumns(relation))
  return {
    line,
    faults,
    text: places.flatMap((place, at) => (place?.isKey ? [row[at] ?? ''] : [])).join(', '),
    key: valuesOf(relation.key),
    record,
    literal: record === null ? null : literal(text, rowAt, batch.columns[at], source),
  }
}

// The literal is that of its own key: in a child relation, its document is not read again by it.
export function duplicateRow(
  relation: Relation,
  { key, text, literal, parent, line }: Duplicate & { readonly text: string; readonly literal: string },
): WrongRow {
  const message = `${text} is the key of another row, too; expected each key once.`
  const parents = parent === null || parent === undefined ? null : [parent as StoredValue]
  return {
    line,
    faults: [{ column: relation.key.join(', '), message, where: '' }],
    text,
    key: key as readonly StoredValue[],
    record: relation.parent === undefined ? (key as readonly StoredValue[]) : parents,
    literal: relation.parent === undefined && key.length === 1 ? literal : null,
    isTwice: true,
  }
}
