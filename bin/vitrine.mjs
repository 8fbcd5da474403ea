#!/usr/bin/env node
// The command `vitrine`: starts main.ts beside it in this process when this Node can run it, else in the Node that npm
// brought, which runs this same file again. Plain JavaScript: it must run on Node 20.

import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { fileURLToPath } from 'node:url'
import v8 from 'node:v8'
import { fail, findNode, runNode } from './node.mjs'

// By default glibc keeps most of what the service frees. It reads this only when a process starts.
const trim = 'MALLOC_TRIM_THRESHOLD_'
const isUntrimmed =
  process.argv[2] === 'serve' && process.platform === 'linux' && !process.env[trim] && !process.channel
const env = isUntrimmed ? { ...process.env, [trim]: '131072' } : process.env

const node = findNode()
if (node.fault) fail(node.fault)
else if (node.running) {
  dropExperimentalWarnings()
  if (isUntrimmed) process.execve(node.path, [node.path, ...process.execArgv, ...process.argv.slice(1)], env)
  // A launcher that is killed takes this process with it, which would otherwise go on unseen.
  process.channel?.unref()
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  // Almost everything that a request makes is short-lived. V8 would let the room for it grow to 130 MB, for no more speed.
  v8.setFlagsFromString('--semi-space-growth-factor=1')
  // Saves more than half of the time to start. In a folder of the project's own: what is in a shared one would be run as our code.
  const compiled = fileURLToPath(new URL('../node_modules/.cache/vitrine', import.meta.url))
  module.enableCompileCache?.(compiled)
  // Its threads, too, but only this tells them.
  process.env.NODE_COMPILE_CACHE ??= compiled
  // A package has them compiled: Node runs no TypeScript from node_modules.
  const source = new URL('main.ts', import.meta.url)
  await import(existsSync(source) ? source.href : new URL('../dist/bin/main.js', import.meta.url).href)
} else runNode(node.path, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], env)

// The flag --disable-warning cannot be set from inside; every other warning passes.
function dropExperimentalWarnings() {
  const emitWarning = process.emitWarning
  process.emitWarning = (warning, ...rest) => {
    const type = warning?.name ?? rest[0]?.type ?? rest[0]
    if (type !== 'ExperimentalWarning') Reflect.apply(emitWarning, process, [warning, ...rest])
  }
}
