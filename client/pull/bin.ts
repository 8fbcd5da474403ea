#!/usr/bin/env node
// The command of this package: `vitrine-pull`.
import process from 'node:process'

const needed = { major: 22, minor: 19 }
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < needed.major || (major === needed.major && minor < needed.minor)) {
  process.stderr.write(
    `vitrine-pull needs Node.js ${needed.major}.${needed.minor} or newer; this is ${process.versions.node}.\n`,
  )
  process.exitCode = 2
} else {
  // Not imported at the top, because an older Node.js lacks modules that these files import.
  const { runPull } = await import('./command.ts')
  process.exitCode = await runPull(process.argv.slice(2))
}
