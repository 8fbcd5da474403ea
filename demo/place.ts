// The target of the demo company: a SQLite file or a schema in PostgreSQL.
import type { OnProgress } from '../src/operate/progress.ts'
import { documentCount, type DemoBatch } from './company.ts'

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
  readonly name: string
  holds(): Promise<'nothing' | 'demo' | 'data' | 'something else'>
  // Replaces everything or nothing.
  load(options: LoadOptions): Promise<Loaded>
}

export function createTally(scale: number, onProgress: OnProgress) {
  const total = documentCount(scale)
  const result: Loaded = { documents: 0, rows: {} }
  return {
    result,
    add({ relation, rows, documents }: DemoBatch): void {
      result.rows[relation] = (result.rows[relation] ?? 0) + rows.length
      if (documents === 0) return
      result.documents += documents
      onProgress({ what: 'documents', done: result.documents, total })
    },
  }
}
