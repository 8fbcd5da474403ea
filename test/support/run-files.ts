// A process of the test runner: runs several test files one after another, each in a suite of its own, so that its hooks are its own.
// Words: the engine, then the files, from the root of the project.
import { resolve } from 'node:path'
import { suite } from 'node:test'
import { pathToFileURL } from 'node:url'

const [engine = '', ...files] = process.argv.slice(2)
process.env['VITRINE_TEST_ENGINE'] = engine
const root = resolve(import.meta.dirname, '..', '..')
for (const file of files) await suite(file, () => import(pathToFileURL(resolve(root, file)).href))
