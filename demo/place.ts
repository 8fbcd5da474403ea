// A place for the demo company: a SQLite file or a schema in PostgreSQL.
import type { OnProgress } from '../src/operate/progress.ts'
import { documentCount, type Batch } from './company.ts'

export interface LoadOptions {
  scale: number
  seed: number
  onProgress?: OnProgress
}

export interface Loaded {
  documents: number
  rows: Record<string, number>
}

export interface DemoPlace {
  // As people know it.
  readonly name: string
  // What is there: nothing, a demo company, another company's data, or something else altogether.
  holds(): Promise<'nothing' | 'demo' | 'data' | 'something else'>
  // Replaces what is there, whole or not at all.
  load(options: LoadOptions): Promise<Loaded>
}

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
