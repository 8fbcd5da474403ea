// Files that are made from tables of the project are up to date: `npm run generate` makes them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { allCommands } from '../bin/commands.ts'
import { generatedFiles } from '../src/cli/generated.ts'

for (const [path, text] of Object.entries(generatedFiles(allCommands)))
  test(`${path} is as its tables have it`, () => {
    assert.equal(readFileSync(join(import.meta.dirname, '..', path), 'utf8'), text)
  })
