// The files of a page as sent to browsers: our TypeScript with its types stripped, style sheets and an icon. There is no build step.
// All pages share `browser/` and `base.css`.
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

export interface PageFile {
  readonly type: string
  readonly bytes: Uint8Array
}

const sharedFolder = join(import.meta.dirname, 'browser')

interface PageScript {
  // Relative to the page.
  readonly name: string
  read(): string
}

// The scripts of a folder and the shared ones.
export const scriptsOf = (folder: string): PageScript[] =>
  [folder, sharedFolder].flatMap((each) =>
    readdirSync(each, { recursive: true })
      .map((name) => String(name).replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => ({
        name: name.replace(/\.ts$/, '.js'),
        read: () => forBrowser(readFileSync(join(each, name), 'utf8')),
      })),
  )

// Rewrites imports: for browsers, the shared scripts are beside those of the page.
const forBrowser = (source: string) =>
  stripTypeScriptTypes(source).replaceAll(/(from '\.)(?:\.\/\.\.\/page\/browser)?(\/[\w/-]+)\.ts'/g, "$1$2.js'")

const readOwn = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')

export const icon = () => readOwn('icon.svg')

// Order matters: later rules override earlier ones.
export const styleOf = (folder: string, names: readonly string[]) =>
  [readOwn('base.css'), ...names.map((name) => readFileSync(join(folder, `${name}.css`), 'utf8'))].join('\n')

interface FileMaker {
  readonly type: string
  make(): string
}

export const fileMakers = {
  html: (make: () => string): FileMaker => ({ type: 'text/html; charset=utf-8', make }),
  css: (make: () => string): FileMaker => ({ type: 'text/css; charset=utf-8', make }),
  svg: (make: () => string): FileMaker => ({ type: 'image/svg+xml', make }),
  script: (script: PageScript): FileMaker => ({ type: 'text/javascript; charset=utf-8', make: () => script.read() }),
}

// Made at the first request and kept.
export function cacheFiles(makers: Readonly<Record<string, FileMaker>>): (path: string) => PageFile | undefined {
  const made = new Map<string, PageFile>()
  return (path) => {
    const known = made.get(path)
    const maker = Object.hasOwn(makers, path) ? makers[path] : undefined
    if (known || !maker) return known
    const file = { type: maker.type, bytes: Buffer.from(maker.make()) }
    made.set(path, file)
    return file
  }
}
