// What pages for browsers are sent as: our own TypeScript without its types, style sheets and an icon. There is no build step.
// `browser/` and `base.css` are what all pages share.
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

export interface PageFile {
  readonly type: string
  readonly bytes: Uint8Array
}

const own = join(import.meta.dirname, 'browser')

interface Script {
  // As the browser asks for it, below the page.
  readonly name: string
  read(): string
}

// The scripts of a folder and the shared ones.
export const scriptsOf = (folder: string): Script[] =>
  [folder, own].flatMap((each) =>
    readdirSync(each, { recursive: true })
      .map((name) => String(name).replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => ({
        name: name.replace(/\.ts$/, '.js'),
        read: () => asSent(readFileSync(join(each, name), 'utf8')),
      })),
  )

// Imports name the files as the browser knows them: the shared ones lie beside those of the page.
const asSent = (source: string) =>
  stripTypeScriptTypes(source).replaceAll(/(from '\.)(?:\.\/\.\.\/page\/browser)?(\/[\w/-]+)\.ts'/g, "$1$2.js'")

const readOwn = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')

export const icon = () => readOwn('icon.svg')

// In this order: a later one may change what an earlier one says.
export const styleOf = (folder: string, names: readonly string[]) =>
  [readOwn('base.css'), ...names.map((name) => readFileSync(join(folder, `${name}.css`), 'utf8'))].join('\n')

interface Maker {
  readonly type: string
  make(): string
}

export const fileMakers = {
  html: (make: () => string): Maker => ({ type: 'text/html; charset=utf-8', make }),
  css: (make: () => string): Maker => ({ type: 'text/css; charset=utf-8', make }),
  svg: (make: () => string): Maker => ({ type: 'image/svg+xml', make }),
  script: (script: Script): Maker => ({ type: 'text/javascript; charset=utf-8', make: () => script.read() }),
}

// Made when they are first asked for, and kept.
export function keepFiles(makers: Readonly<Record<string, Maker>>): (path: string) => PageFile | undefined {
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
