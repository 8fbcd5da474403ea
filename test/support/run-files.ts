// A process of the test runner: runs several test files one after another, each in a suite of its own, so that its hooks are its own.
// Words: the engine, then the files.
import { join } from 'node:path'
import { suite } from 'node:test'

const [engine = '', ...files] = process.argv.slice(2)
process.env['VITRINE_TEST_ENGINE'] = engine
for (const file of files) await suite(file, () => import(join(import.meta.dirname, '..', '..', file)))
