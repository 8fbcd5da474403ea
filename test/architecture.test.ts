// Holds the code to the import order that ARCHITECTURE.md states: a folder may import only what stands before it.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const src = join(root, 'src')
const order = readOrder()

function readOrder(): string[] {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const line = /^`(errors [^`]+)`$/m.exec(text)?.[1]
  assert(line, 'ARCHITECTURE.md states the import order in a line of its own')
  return line.split(/[\s·]+/).filter(Boolean)
}

// The first part of a path below src: a folder, or a file without its ending.
const placeOf = (path: string) => relative(src, path).split('/')[0]?.replace(/\.ts$/, '') ?? ''

const files = globSync('**/*.ts', { cwd: src }).map((file) => join(src, file))
const imports = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import\(|new URL\()\s*'(\.[^']+)'/g)].map((found) => ({
    from: file,
    to: join(dirname(file), found[1] ?? ''),
  })),
)

test('every file and folder of src has its place in the import order', () => {
  const places = [...new Set(files.map(placeOf))].toSorted()
  assert.deepEqual(places, order.toSorted())
})

test('a folder imports only what stands before it', () => {
  const wrong = imports
    .filter(({ to }) => !relative(src, to).startsWith('..'))
    .filter(({ from, to }) => order.indexOf(placeOf(to)) > order.indexOf(placeOf(from)))
    .map(({ from, to }) => `${relative(root, from)} imports ${relative(root, to)}`)
  assert.deepEqual(wrong, [])
  assert(imports.length > 200, 'imports were found')
})

test('node:sqlite is imported in one place', () => {
  const wrong = files
    .filter((file) => /from 'node:sqlite'/.test(readFileSync(file, 'utf8')))
    .map((file) => relative(root, file))
  assert.deepEqual(wrong, ['src/sqlite.ts'])
})

test('no source file is over 300 lines', () => {
  const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 301)
  assert.deepEqual(
    long.map((file) => relative(root, file)),
    [],
  )
})

test('nothing is exported that no other file names', () => {
  const everywhere = globSync('{src,client,test,bench,examples}/**/*.ts', {
    cwd: root,
    exclude: ['**/data/**', '**/dist/**'],
  })
  const words = new Map<string, number>()
  for (const file of everywhere)
    for (const word of new Set(readFileSync(join(root, file), 'utf8').match(/\w+/g)))
      words.set(word, (words.get(word) ?? 0) + 1)
  const dead = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^export (?:async )?(?:const|function|class|interface|type|let) (\w+)/gm)]
      .filter(([, name = '']) => words.get(name) === 1)
      .map(([, name]) => `${relative(root, file)}: ${name}`),
  )
  assert.deepEqual(dead, [])
})
