// `npm run build`, and before `npm pack`: what a package holds. Node.js runs no TypeScript from node_modules, so the sources are
// compiled to dist/, in the same folders, with the guides and the bundled pages.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { makeBundle } from '../web/page/bundle.ts'

const root = join(import.meta.dirname, '..', '..')
const dist = join(root, 'dist')

rmSync(dist, { recursive: true, force: true })
const compiler = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace(/package\.json$/, 'bin/tsc')
const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.release.json')], {
  stdio: 'inherit',
})
if (status !== 0) process.exit(1)

cpSync(join(root, 'docs', 'integrate'), join(dist, 'docs', 'integrate'), { recursive: true })
for (const page of ['console', 'docs'] as const) {
  const bundle = join(dist, 'src', 'web', page, 'bundle')
  mkdirSync(bundle, { recursive: true })
  for (const { name, bytes } of makeBundle(page)) writeFileSync(join(bundle, name), bytes)
}

const { name, version, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ name, version, type }, null, 2)}\n`)
