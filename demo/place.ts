// A place for the demo company: a SQLite file or a schema in PostgreSQL.
import type { OnProgress } from '../src/operate/progress.ts'

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
