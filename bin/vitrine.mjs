#!/usr/bin/env node
// The command `vitrine`: starts src/cli/main.ts in this process when this Node can run it, else in the Node that npm
// brought, which runs this same file again. Plain JavaScript: it must run on Node 20.

import { fileURLToPath } from 'node:url'
import { fail, findNode, runNode } from './node.mjs'

const node = findNode()
if (node.fault) fail(node.fault)
else if (node.running) {
  dropExperimentalWarnings()
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
