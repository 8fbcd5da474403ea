// What of the demo company is loaded so far.
import type { OnProgress } from '../src/operate/progress.ts'
import { documentCount, type Batch } from './company.ts'
import type { Loaded } from './place.ts'

export function createTally(scale: number, onProgress: OnProgress) {
  const total = documentCount(scale)
  const result: Loaded = { documents: 0, rows: {} }
  return {
    result,
    add({ relation, rows, documents }: Batch): void {
      result.rows[relation] = (result.rows[relation] ?? 0) + rows.length
      if (documents === 0) return
      result.documents += documents
      onProgress({ what: 'documents', done: result.documents, total })
    },
  }
}
