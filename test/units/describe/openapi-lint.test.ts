// The document under the recommended rules of redocly, the usual checker: no error and no warning, for every access, also for a key that
// has lost all its permissions.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { basePath } from '../../../src/app.ts'
import type { Access } from '../../../src/catalogue/access.ts'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { describeApi } from '../../../src/describe/openapi/document.ts'

const folder = mkdtempSync(join(tmpdir(), 'vitrine-lint-'))
after(() => rmSync(folder, { recursive: true }))
const checker = join(import.meta.dirname, '..', '..', '..', 'node_modules', '@redocly', 'cli', 'bin', 'cli.js')

const accesses: Readonly<Record<string, Access | null>> = {
  everybody: null,
  everything: { permissions, stores: null, priceList: null },
  shop: { permissions: ['products:read', 'reference:read'], stores: [1], priceList: 2 },
  nothing: { permissions: [], stores: null, priceList: null },
}

for (const [name, access] of Object.entries(accesses))
  test(`the document of ${name}`, () => {
    const path = join(folder, `${name}.json`)
    const text = JSON.stringify(describeApi(access, basePath))
    assert.doesNotMatch(text, /"enum":\[\]/)
    writeFileSync(path, text)
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [checker, 'lint', '--extends=recommended', '--format=json', path],
      // It would look for a newer version of itself, and count its users.
      {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    )
    assert.equal(status, 0, stdout + stderr)
    const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: { message: string }[] }
    assert.deepEqual([problems, totals], [[], { errors: 0, warnings: 0, ignored: 0 }])
  })
