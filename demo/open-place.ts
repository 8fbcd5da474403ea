// A database URL → the place where the demo company is made.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../src/platform/files.ts'
import { readSqliteHeader } from '../src/platform/sqlite.ts'
import type { DatabaseUrl } from '../src/settings/types.ts'
import { isDemoFile, loadSqlite } from './load-sqlite.ts'
import type { DemoPlace } from './place.ts'

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
