// Long commands on PostgreSQL in a terminal: one line that shows how far they are, within the width of the terminal, and
// nothing of it where JSON is asked for.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { dataAt, dropDatabases, makeDatabase } from '../support/database.ts'
import { cleanEnvironment, repository, startProcess } from '../support/process.ts'

after(dropDatabases)

const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false
const skip = hasScript ? false : 'there is no "script" of util-linux on this machine'

/** What a command writes to a terminal of this width: stdout and stderr together. */
async function inTerminal(columns: number, url: string, words: string): Promise<string> {
  const program = join(repository, 'bin', 'vitrine.mjs')
  const line = `stty cols ${columns} && '${process.execPath}' '${program}' ${words}`
  const env = { ...cleanEnvironment(dataAt(url)), SHELL: '/bin/sh', TERM: 'xterm' }
  const { status, stdout } = await startProcess('script', ['-qec', line, '/dev/null'], { env }).ended
  assert.equal(status, 0, stdout)
  return stdout
}

const isBar = (line: string) => line.includes('\r')

// Each state of the line is drawn over the one before; erasing to the end of the line leaves nothing of a longer one.
function readDrawn(text: string) {
  const lines = text.split('\r\n').filter((line) => line !== '')
  const states = (lines.find(isBar) ?? '').split('\r').filter((state) => state !== '')
  for (const state of states) assert.ok(state.endsWith('\u001B[K'), JSON.stringify(state))
  return { states: states.map((state) => state.slice(0, -3)), rest: lines.filter((line) => !isBar(line)) }
}

describe('in a terminal', { skip, concurrency: 2 }, () => {
  for (const { columns, words, whats, lines } of [
    {
      columns: 40,
      words: 'schema apply',
      whats: ['steps'],
      lines: [/^Make 33 relations/, /^Make 13/, /^Make the journal/, /^Done: .*\.$/],
    },
    {
      columns: 120,
      words: 'schema apply',
      whats: ['steps'],
      lines: [/^Make 33 relations/, /^Make 13/, /^Make the journal/, /^Done: .*\.$/],
    },
    { columns: 40, words: 'demo --scale 0.1', whats: ['documents', 'indexes'], lines: [/^The demo company .*\.$/] },
  ])
    test(`${words} in ${columns} columns: a bar on one line, full at the end, then the result`, async () => {
      const { url } = await makeDatabase()
      const { states, rest } = readDrawn(await inTerminal(columns, url, words))
      for (const state of states) {
        assert.match(state, new RegExp(`^(${whats.join('|')}) █*░* +\\d+ %`))
        assert.ok([...state].length < columns, state)
      }
      assert.match(states.at(-1) ?? '', /^(?:indexes|steps) █+ 100 % {2}(\d+)\/\1\b/)
      assert.equal(rest.length, lines.length, rest.join('\n'))
      for (const [at, line] of lines.entries()) assert.match(rest[at] ?? '', line)
    })

  test('schema apply --json: one object and nothing else, on a terminal too', async () => {
    const { url } = await makeDatabase()
    const text = await inTerminal(80, url, 'schema apply --json')
    assert.match(text, /^\{"database":.*\}\r\n$/)
  })
})
