// What the demo company answers for the examples of the OpenAPI document. Run as a program, it writes them again:
// `node bin/node.mjs test/support/demo-records.ts`, after the demo company or a resource has changed.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resources } from '../../src/catalogue/resources/index.ts'
import { makeDemoCompany } from './demo-company.ts'
import { repository, startServer } from './process.ts'

const file = join(repository, 'src', 'describe', 'openapi', 'demo-records.json')

export interface DemoRecord {
  readonly id: number
  readonly number?: string
  readonly code?: string
}

export const keptRecords = (): Record<string, DemoRecord> => JSON.parse(readFileSync(file, 'utf8'))

// The records with the same ids as those kept (of a new resource, the first of its list), and what finds each of them in its list.
export async function askForRecords() {
  const server = await startServer({ prepare: makeDemoCompany })
  try {
    const token = await server.token()
    const records: Record<string, DemoRecord> = {}
    const lists: Record<string, unknown> = {}
    const kept = keptRecords()
    for (const { name } of resources) {
      const id = kept[name]?.id ?? (await server.ask(`/${name}`, { token })).body.data[0].id
      const detail = await server.ask(`/${name}/${id}`, { token })
      assert.equal(detail.status, 200, `${name} ${id}: ${detail.text}`)
      const { number, code } = (records[name] = detail.body.data as DemoRecord)
      lists[name] = (await server.ask(`/${name}?search=${number ?? code}`, { token })).body
    }
    return { records, lists }
  } finally {
    await server.remove()
  }
}

if (import.meta.main) writeFileSync(file, `${JSON.stringify((await askForRecords()).records, null, 2)}\n`)
