// The documentation names everything there is: a setting, a command or a recipe that is missing fails here.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commands } from '../src/cli/commands.ts'
import { settingNames } from '../src/settings/table.ts'

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const readme = read('README.md')

test('README.md names every setting, and no other', () => {
  const rows = readme.split('\n').filter((line) => line.startsWith('| `VITRINE_'))
  const named = rows.flatMap((line) =>
    [...(line.split('|')[1] ?? '').matchAll(/VITRINE_[A-Z_]+/g)].map(([name]) => name),
  )
  assert.deepEqual(named, settingNames)
})

test('README.md names every command, and no other', () => {
  const rows = readme.split('\n').filter((line) => /^\| `[a-z]/.test(line))
  const named = rows.flatMap((line) => {
    const [first = '', ...rest] = [...(line.split('|')[1] ?? '').matchAll(/`([a-z ]+)`/g)].map(
      (found) => found[1] ?? '',
    )
    const group = first.split(' ')[0]
    return [first, ...rest.map((name) => (name.includes(' ') ? name : `${group} ${name}`))]
  })
  assert.deepEqual(named.toSorted(), commands.map(({ name }) => name).toSorted())
})

test('every file and folder that the documents name in backquotes is there', () => {
  for (const name of ['docs/security.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md']) {
    const paths = [...read(name).matchAll(/`((?:src|test|bin)\/[\w./-]+)`/g)].map((found) => found[1] ?? '')
    assert(paths.length > 5)
    for (const path of paths) assert(existsSync(join(root, path)), `${name} names ${path}`)
  }
})
