// Where the demo company is made: a SQLite file or a schema in PostgreSQL. What is the same for both is in company.ts.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../files.ts'
import type { DatabaseUrl } from '../../settings/types.ts'
import { readSqliteHeader } from '../../sqlite.ts'
import type { OnProgress } from '../progress.ts'
import { isDemoFile, loadSqlite } from './load-sqlite.ts'

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

export async function demoPlace(url: DatabaseUrl): Promise<DemoPlace> {
  if (url.kind === 'sqlite') return filePlace(url.path)
  const { postgresPlace } = await import('./load-postgres.ts')
  return postgresPlace(url)
}

const filePlace = (path: string): DemoPlace => ({
  name: path,
  async holds() {
    if (!existsSync(path)) return 'nothing'
    if (!readSqliteHeader(path)) return 'something else'
    return isDemoFile(path) ? 'demo' : 'data'
  },
  async load(options) {
    makeFolder(dirname(path))
    return loadSqlite({ path, ...options })
  },
})
