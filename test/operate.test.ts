// docs/operate.md and what is beside it, against the code: the unit, the alerts and the tables name everything there is, and
// nothing else.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { allCommands } from '../bin/commands.ts'
import { createMetrics } from '../src/web/console/metrics.ts'
import { errors } from '../src/errors.ts'
import { isKnown } from '../src/settings/config-file.ts'
import { logEvents } from '../src/platform/log-events.ts'
import { journalTable } from '../src/sql/journalled.ts'

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const page = read('docs/operate.md')
const unit = read('docs/operate/vitrine.service')
const alerts = read('docs/operate/alerts.yml')
const files = globSync('docs/operate/*', { cwd: root })

const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((found) => found[1] ?? '')
const sorted = (names: Iterable<string>) => [...new Set(names)].toSorted()
const name = /`([a-z\d_]+)`/g
/** The cells of the rows that begin with a name in backquotes, of the table under a heading. */
const rowsUnder = (heading: string) =>
  (page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').slice(1))
const tableUnder = (heading: string) => rowsUnder(heading).flatMap(([cell = '']) => namesIn(cell, name))

async function metricNames(): Promise<string[]> {
  const metrics = createMetrics()
  const text = await metrics.text({
    readers: 1,
    busy: 0,
    waiting: 0,
    stopped: 0,
    lists: [],
    feedHold: null,
    lagSeconds: 0,
    isEngineUp: true,
    isStateUp: true,
    blocks: 0,
    keyExpiries: [],
    certificateEndsAt: 0,
    copy: {
      ageSeconds: 0,
      roundSeconds: 0,
      rows: { read: 0, new: 0, changed: 0, deleted: 0 },
      failure: undefined,
      keptOut: [],
      waiting: [],
    },
  })
  metrics.close()
  return namesIn(text, /^# TYPE (\w+) /gm)
}

test('the page names every metric, and no other', async () => {
  const known = await metricNames()
  assert.deepEqual(sorted(tableUnder('Metrics and alerts')), sorted(known))
  for (const name of namesIn(page, /\b(vitrine_[a-z_]+)/g)) assert(known.includes(name) || name === journalTable, name)
})

test('every alert has an expression, a severity and a summary, and asks for metrics and labels that exist', async () => {
  const rules = alerts.split(/^ {6}- alert: /m).slice(1)
  assert(rules.length > 10)
  assert.equal(new Set(rules.map((rule) => rule.split('\n')[0])).size, rules.length)
  const known = new Set([...(await metricNames()), 'vitrine_request_seconds_bucket', 'up'])
  for (const rule of rules) {
    const [, expression = ''] = /^ {8}expr: (.+)$/m.exec(rule) ?? []
    const asked = namesIn(expression, /\b(up|(?:vitrine|process)_[a-z_]+)\b/g)
    assert(asked.length > 0, rule)
    for (const name of asked) assert(known.has(name), name)
    for (const label of namesIn(expression, /[{,](\w+)=/g)) assert(['job', 'status', 'window'].includes(label), label)
    assert.match(rule, /^ {8}labels: \{ severity: (?:page|ticket|info) \}$/m)
    assert.match(rule, /^ {10}summary: (?:'[^']+'|"[^"]+")$/m)
    // Nothing that YAML would read otherwise: no tabs, and a plain value has no ": " and no " #" in it.
    assert(!rule.includes('\t') && !/: | #/.test(expression), rule)
    for (const [, quantity] of rule.matchAll(/\{\{(.+?)\}\}/g)) assert.match(String(quantity), /^ \$(?:value|labels)/)
  }
})

test('the page has a row for every event of the log with its level, and no other', () => {
  const told = rowsUnder('The log').flatMap(([cell = '', levels = '']) => {
    const [events, each] = [namesIn(cell, name), namesIn(levels, /\b(debug|info|warn|error)\b/g)]
    return events.map((event, at) => [event, events.length === 1 ? each.join(' ') : (each[at] ?? each[0])] as const)
  })
  const declared = Object.entries(logEvents).map(([event, [levels]]) => [event, levels] as const)
  assert.equal(told.length, declared.length)
  assert.deepEqual(Object.fromEntries(told), Object.fromEntries(declared))
})

// They take a server without descriptors, a thread that does not end, or a stop of half a minute.
const unraised = ['copy_remark', 'listener_failed', 'reader_died', 'reader_not_stopped', 'requests_cut', 'state_made']

test('a test asserts each event of the log but those that are named above', () => {
  const exclude = ['test/operate.test.ts', 'test/units/cli/log-text.test.ts']
  const text = globSync('test/**/*.test.ts', { cwd: root, exclude }).map(read).join('\n')
  const isRaised = (event: string) => new RegExp(`['"/ ]${event}['"/]`).test(text)
  assert.deepEqual(
    Object.keys(logEvents).filter((event) => !isRaised(event)),
    unraised,
  )
})

test('every setting, command, error code and file that the page and its files name exists', () => {
  const settings = namesIn([page, ...files.map(read)].join('\n'), /\b(VITRINE_[A-Z_]+)\b/g)
  assert(settings.length > 10)
  for (const name of settings) assert(isKnown(name) || name === 'VITRINE_CONFIG', name)
  const told = namesIn(page, /(?:^|`)vitrine ([a-z]+(?: [a-z]+)?)/gm)
  assert(told.length > 8)
  for (const words of told)
    assert(
      allCommands.some(({ name }) => words === name || words.startsWith(`${name} `)),
      words,
    )
  for (const code of namesIn(page, /\b[45]\d\d `([a-z_]+)`/g)) assert(code in errors, code)
  for (const path of namesIn(page, /\]\(([^)#]+)\)/g)) assert(existsSync(join(root, 'docs', path)), path)
  for (const file of files) assert(page.includes(`](${file.replace('docs/', '')})`), `${file} is not linked`)
})

const setting = (name: string) => namesIn(unit, new RegExp(`^${name}=(.*)$`, 'gm'))

test('the unit starts a command there is, keeps state where the page says, and waits longer than a stop may take', () => {
  assert.deepEqual(setting('ExecStart'), ['/opt/vitrine/current/bin/vitrine.mjs serve'])
  const { bin } = JSON.parse(read('package.json')) as { bin: Record<string, string> }
  assert(bin['vitrine'] && allCommands.some(({ name }) => name === 'serve'))
  assert.deepEqual(setting('Environment'), ['VITRINE_CONFIG=/etc/vitrine/vitrine.conf'])
  assert(page.includes('/etc/vitrine/vitrine.conf') && page.includes('VITRINE_DATA_DIR=/var/lib/vitrine'))
  assert.deepEqual([setting('StateDirectory'), setting('StateDirectoryMode')], [['vitrine'], ['0700']])
  const [, drainMs = ''] = /requestTimeout: ([\d_]+)/.exec(read('src/http/listeners.ts')) ?? []
  assert(Number(setting('TimeoutStopSec')[0]) * 1000 > Number(drainMs.replace('_', '')) + 5000)
  // The runtime compiles while it runs, and who is taken over from is found out from /proc/sys.
  assert.deepEqual([...setting('MemoryDenyWriteExecute'), ...setting('ProcSubset')], [])
})

const analyzer = spawnSync('systemd-analyze', ['--version']).status === 0
const skip = analyzer ? false : 'systemd-analyze is not installed here'

test('systemd finds nothing wrong with the unit, and little that it could still be kept from', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-unit-'))
  try {
    const file = join(folder, 'vitrine.service')
    // The program must be there; that it is not installed on this machine is no fault of the unit.
    writeFileSync(file, unit.replace('/opt/vitrine/current/bin/vitrine.mjs', '/bin/sh'))
    const run = (...words: string[]) => spawnSync('systemd-analyze', [...words, file], { encoding: 'utf8' })
    const verified = run('verify', '--man=no')
    assert.deepEqual([verified.status, verified.stderr], [0, ''])
    // 0 is nothing, 10 everything; this is offered by systemd 250 and newer.
    const judged = run('security', '--offline=true', '--threshold=15')
    if (!/unrecognized option/.test(judged.stderr)) assert.equal(judged.status, 0, judged.stdout.slice(-200))
  } finally {
    rmSync(folder, { recursive: true })
  }
})
