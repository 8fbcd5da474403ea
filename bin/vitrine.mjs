#!/usr/bin/env node
// The command `vitrine`: starts src/cli/main.ts in this process when this Node can run it, else in the Node that npm
// brought, which runs this same file again. Plain JavaScript: it must run on Node 20.

import { fileURLToPath } from 'node:url'
import { fail, findNode, oneSignalMs, runNode } from './node.mjs'

const node = findNode()
if (node.fault) fail(node.fault)
else if (node.running) {
  dropExperimentalWarnings()
  countRepeatedSignalsOnce()
  await import(new URL('../src/cli/main.ts', import.meta.url).href)
} else runNode(node.path, [fileURLToPath(import.meta.url), ...process.argv.slice(2)])

// The flag --disable-warning cannot be set from inside; every other warning passes.
function dropExperimentalWarnings() {
  const emitWarning = process.emitWarning
  process.emitWarning = (warning, ...rest) => {
    const type = warning?.name ?? rest[0]?.type ?? rest[0]
    if (type !== 'ExperimentalWarning') Reflect.apply(emitWarning, process, [warning, ...rest])
  }
}

// One Ctrl-C can arrive from the terminal, from npm and from the launcher: a program that takes a second signal for
// "at once" would cut the requests it is draining.
function countRepeatedSignalsOnce() {
  const emit = process.emit
  const lastSeen = new Map()
  process.emit = (event, ...rest) => {
    if (event === 'SIGINT' || event === 'SIGTERM' || event === 'SIGHUP') {
      const now = performance.now()
      const repeated = now - (lastSeen.get(event) ?? -Infinity) < oneSignalMs
      if (repeated) return true
      lastSeen.set(event, now)
    }
    return Reflect.apply(emit, process, [event, ...rest])
  }
}
