// The scripts, style sheet and icon of a page as browsers get them, and the headers of pages. `npm run build` writes them beside the
// page; in a checkout, esbuild makes them in memory at the first request.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import type * as Esbuild from 'esbuild'

export interface BundledFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

// Of every page: nothing from other origins, nothing inline, no framing.
export const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
}

// For each page: its entry scripts, and the options of esbuild.
export const pages = {
  // Named by their content, so that browsers keep them. Texts of a language are loaded on demand.
  console: {
    scripts: ['page.tsx'],
    options: {
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      splitting: true,
      jsx: 'automatic',
      jsxImportSource: 'preact',
      banner: { js: '/* With Preact and Preact Signals, (c) Jason Miller and the Preact Team, MIT License. */' },
    },
  },
  // Each script holds all that a page in its language needs. Names are fixed, because the routes of the service are.
  docs: { scripts: ['start-en.ts', 'start-fr.ts', 'choose-language.ts'], options: {} },
} as const
export type PageName = keyof typeof pages

const folderOf = (page: PageName) => join(import.meta.dirname, '..', page)
const written = (page: PageName) => join(folderOf(page), 'bundle')

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}
const fileOf = (name: string, bytes: Uint8Array): BundledFile => ({
  name,
  type: types[name.split('.').at(-1) ?? ''] ?? '',
  bytes,
})

export function readBundle(page: PageName): BundledFile[] {
  const ready = written(page)
  if (!existsSync(ready)) return makeBundle(page)
  return readdirSync(ready).map((name) => fileOf(name, readFileSync(join(ready, name))))
}

export function makeBundle(page: PageName): BundledFile[] {
  const { scripts, options } = pages[page]
  const browser = join(folderOf(page), 'browser')
  const { outputFiles } = esbuild().buildSync({
    // The hashes in the names depend on it.
    absWorkingDir: folderOf(page),
    entryPoints: [
      ...scripts.map((name) => join(browser, name)),
      join(browser, 'style', 'page.css'),
      join(import.meta.dirname, 'icon.svg'),
    ],
    entryNames: '[name]',
    outdir: written(page),
    write: false,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    loader: { '.svg': 'copy' },
    ...options,
  })
  return outputFiles.map(({ path, contents }) => fileOf(basename(path), contents))
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
