// Holds the code to the import order that ARCHITECTURE.md states: a folder may import only what stands before it, and no file takes
// part in a circle.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const order = readOrder()

function readOrder(): string[] {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const line = /^`(terminal [^`]+)`$/m.exec(text)?.[1]
  assert(line, 'ARCHITECTURE.md states the import order in a line of its own')
  return line.split(/[\s·]+/).filter(Boolean)
}

// The folder of a file, or the file without its ending where it stands in src itself.
const placeOf = (path: string) =>
  path
    .replace(/^src\//, '')
    .split('/')[0]
    ?.replace(/\.ts$/, '') ?? ''

const filesIn = (folders: string) =>
  globSync(`${folders}/**/*.{ts,tsx}`, { cwd: root, exclude: ['**/data/**', '**/dist/**'] }).toSorted()
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
const importsOf = (file: string) =>
  [...textOf(file).matchAll(/(?:from|import\(?|new URL\()\s*'(\.[^']+)'/g)].map(([, path = '']) =>
    join(dirname(file), path),
  )

const files = filesIn('{src,demo}')

test('every file and folder of src has its place in the import order', () => {
  assert.deepEqual([...new Set(files.map(placeOf))].toSorted(), order.toSorted())
})

test('a folder imports only what stands before it', () => {
  const isOurs = new Set(files)
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((other) => isOurs.has(other) && order.indexOf(placeOf(other)) > order.indexOf(placeOf(file)))
      .map((other) => `${file} imports ${other}`),
  )
  assert.deepEqual(wrong, [])
})

// So that the client is a package of its own, which carries the terminal with it.
test('the terminal imports nothing, the client only the terminal, and neither src nor demo the client', () => {
  const outside = /(?:from|import\(?|new URL\()\s*'(?!\.\/)[^']+'/g
  assert.deepEqual(
    filesIn('src/terminal').flatMap((file) => textOf(file).match(outside) ?? []),
    [],
  )
  const [ofClient, ofOurs] = [filesIn('client'), files].map((all) => all.flatMap(importsOf))
  assert(ofClient?.some((path) => path.startsWith('src/terminal/')))
  assert.deepEqual(
    ofClient?.filter((path) => !/^(?:client|src\/terminal)\//.test(path)),
    [],
  )
  assert.deepEqual(
    ofOurs?.filter((path) => path.startsWith('client')),
    [],
  )
})

test('no file imports itself by way of others', () => {
  const all = filesIn('{bin,src,demo,client,bench,test,examples}')
  const imports = new Map(all.map((file) => [file, importsOf(file)]))
  assert([...imports.values()].flat().length > 1000, 'imports were found')
  const done = new Set<string>()
  const circles: string[] = []
  const follow = (file: string, path: readonly string[]) => {
    if (path.includes(file)) return void circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (done.has(file)) return
    for (const other of imports.get(file) ?? []) follow(other, [...path, file])
    done.add(file)
  }
  for (const file of all) follow(file, [])
  assert.deepEqual(circles, [])
})

test('node:sqlite is imported in one place', () => {
  const doors = filesIn('src').filter((file) => /from 'node:sqlite'/.test(textOf(file)))
  assert.deepEqual(doors, ['src/platform/sqlite.ts'])
})

test('no source file is over 300 lines', () => {
  const long = files.filter((file) => textOf(file).split('\n').length > 301)
  assert.deepEqual(long, [])
})

test('nothing is exported that no other file names', () => {
  const everywhere = filesIn('{bin,src,demo,client,test,bench,examples}')
  const words = new Map<string, number>()
  for (const file of everywhere)
    for (const word of new Set(textOf(file).match(/\w+/g))) words.set(word, (words.get(word) ?? 0) + 1)
  const dead = files.flatMap((file) =>
    [...textOf(file).matchAll(/^export (?:async )?(?:const|function|class|interface|type|let) (\w+)/gm)]
      .filter(([, name = '']) => words.get(name) === 1)
      .map(([, name]) => `${file}: ${name}`),
  )
  assert.deepEqual(dead, [])
})
