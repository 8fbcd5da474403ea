// Words that several findings share.
import { quote } from '../../sql/dialect.ts'
import type { RelationShape } from './shape.ts'

// What to select instead of a column as it is.
export const inView = (shape: RelationShape | undefined, term: string, column: string) =>
  shape?.kind === 'view'
    ? `Select it in the view as: ${term} AS ${quote(column)}`
    : `Mend it where it is written, or offer the relation as a view that selects: ${term} AS ${quote(column)}`
