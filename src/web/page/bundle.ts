// A page as one script, one style sheet and what they load on demand, each named by its content. `npm run build` writes these files
// beside the page; in a checkout, esbuild makes them in memory at the first request.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import type * as Esbuild from 'esbuild'

export interface BundledFile {
  readonly name: string
  readonly bytes: Uint8Array
}

const icon = join(import.meta.dirname, 'icon.svg')
const written = (folder: string) => join(folder, 'bundle')

export function readBundle(folder: string): BundledFile[] {
  const ready = written(folder)
  if (!existsSync(ready)) return makeBundle(folder)
  return readdirSync(ready).map((name) => ({ name, bytes: readFileSync(join(ready, name)) }))
}

// The page's entry is `browser/page.tsx`, its style sheet `browser/style/page.css`.
export function makeBundle(folder: string): BundledFile[] {
  const { outputFiles } = esbuild().buildSync({
    // Names depend on it.
    absWorkingDir: folder,
    entryPoints: [join(folder, 'browser', 'page.tsx'), join(folder, 'browser', 'style', 'page.css'), icon],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: written(folder),
    write: false,
    bundle: true,
    // Texts of a language are loaded on demand.
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'copy' },
    banner: { js: '/* With Preact and Preact Signals, (c) Jason Miller and the Preact Team, MIT License. */' },
  })
  return outputFiles.map(({ path, contents }) => ({ name: basename(path), bytes: contents }))
}

function esbuild(): typeof Esbuild {
  try {
    return createRequire(import.meta.url)('esbuild') as typeof Esbuild
  } catch (cause) {
    throw new Error('the page is made by esbuild, a development dependency: run "npm ci", or "npm run build" first', {
      cause,
    })
  }
}
