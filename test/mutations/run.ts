// Breaks one rule after the other in a copy of the project, one line each, and says how many of the named test files notice.
//
//   node bin/node.mjs test/mutations/run.ts [TEXT]    only rules or files whose names contain the text
//
// Run by hand: each test file runs once as it is, and once for each of its mutations. Exit status 1 if no file notices one of them.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mutations, type Mutation } from './list.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const wanted = process.argv[2]?.toLowerCase() ?? ''
const chosen = mutations.filter(({ rule, file }) => `${rule} ${file}`.toLowerCase().includes(wanted))

const copy = mkdtempSync(join(tmpdir(), 'vitrine-mutations-'))
process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
const { stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
for (const file of stdout.split('\0').filter(Boolean)) cpSync(join(root, file), join(copy, file))
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))

const passes = (file: string, engine: string): boolean => {
  const env = { ...process.env, VITRINE_TEST_ENGINE: engine }
  return spawnSync('node', ['bin/node.mjs', '--test', file], { cwd: copy, env, stdio: 'ignore' }).status === 0
}

const whole = new Map<string, boolean>()
const passesWhole = (file: string, engine: string): boolean => {
  const key = `${file} ${engine}`
  if (!whole.has(key)) whole.set(key, passes(file, engine))
  return whole.get(key) === true
}

function noticedBy({ file, from, to, tests, engine }: Mutation): string[] {
  const failing = tests.filter((test) => !passesWhole(test, engine ?? 'sqlite'))
  if (failing.length > 0) throw new Error(`fails without a mutation: ${failing.join(', ')}`)
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
  try {
    return tests.filter((test) => !passes(test, engine ?? 'sqlite'))
  } finally {
    writeFileSync(path, text)
  }
}

let unnoticed = 0
for (const [at, mutation] of chosen.entries()) {
  const noticed = noticedBy(mutation)
  if (noticed.length === 0) unnoticed += 1
  console.log(`${at + 1}/${chosen.length}  ${noticed.length} of ${mutation.tests.length}  ${mutation.rule}`)
}
console.log(unnoticed === 0 ? `All ${chosen.length} are noticed.` : `${unnoticed} of ${chosen.length} are not noticed.`)
process.exitCode = unnoticed === 0 ? 0 : 1
