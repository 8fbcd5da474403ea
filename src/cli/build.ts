// `npm run build`, and before `npm pack`: what a package holds. Node.js runs no TypeScript from node_modules, so the sources are
// compiled to dist/, in the same folders; what they read beside themselves is copied there. The console's page is bundled; scripts of
// the documentation are sent to browsers without their types as they are asked for, here as there.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
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

const isRead = (path: string) => {
  const name = relative(root, path)
  if (name.startsWith('src/web/console/browser')) return false
  return !/\.\w+$/.test(name) || /\.(?:css|svg|json|md)$/.test(name) || /^src\/web\/\w+\/browser\/.*\.ts$/.test(name)
}
for (const folder of ['src/web', 'docs/integrate'])
  cpSync(join(root, folder), join(dist, folder), { recursive: true, filter: isRead })

const bundle = join(dist, 'src', 'web', 'console', 'bundle')
mkdirSync(bundle, { recursive: true })
for (const { name, bytes } of makeBundle(join(root, 'src', 'web', 'console'))) writeFileSync(join(bundle, name), bytes)

const { name, version, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ name, version, type }, null, 2)}\n`)
