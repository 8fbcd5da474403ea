// What `schema apply` of version 0.1 made in an empty database.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { EngineName } from './place.ts'

export const earlierSchema = (engine: EngineName): string =>
  gunzipSync(readFileSync(join(import.meta.dirname, 'earlier-versions', `0.1-${engine}.sql.gz`))).toString()
