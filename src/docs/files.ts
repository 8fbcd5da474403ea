// The files of the documentation page, by their path, as they are sent. The scripts are our own TypeScript without its
// types: there is no build step. Made when they are first asked for, and kept.
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { describeApi } from '../describe/openapi/document.ts'
import { readDocument } from './browser/read-document.ts'
import { readGuides } from './guides.ts'
import { pageHtml } from './page-html.ts'

export interface PageFile {
  readonly type: string
  readonly bytes: Uint8Array
}

const sources = join(import.meta.dirname, 'browser')
const scriptNames = readdirSync(sources)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replace(/\.ts$/, '.js'))

// In this order: a later one may change what an earlier one says.
const styleNames = ['base', 'frame', 'content', 'operations', 'narrow']

const readSource = (name: string) => readFileSync(join(sources, name), 'utf8')
// Imports name the files as the browser knows them.
const script = (name: string) =>
  stripTypeScriptTypes(readSource(name.replace(/\.js$/, '.ts'))).replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'")

const style = () => styleNames.map((name) => readSource(`style/${name}.css`)).join('\n')

function page(basePath: string): string {
  const document: unknown = JSON.parse(JSON.stringify(describeApi(null, basePath)))
  return pageHtml(readGuides(), readDocument(document), scriptNames).text
}

const makers: Readonly<Record<string, { readonly type: string; make(basePath: string): string }>> = {
  '/docs': { type: 'text/html; charset=utf-8', make: page },
  '/docs/page.css': { type: 'text/css; charset=utf-8', make: style },
  '/docs/icon.svg': { type: 'image/svg+xml', make: () => readSource('icon.svg') },
  ...Object.fromEntries(
    scriptNames.map((name) => [`/docs/${name}`, { type: 'text/javascript; charset=utf-8', make: () => script(name) }]),
  ),
}

export const pagePaths = Object.keys(makers)

const made = new Map<string, PageFile>()

export function pageFile(path: string, basePath: string): PageFile {
  const known = made.get(path)
  if (known) return known
  const maker = makers[path]
  if (!maker) throw new Error(`there is no ${path}`)
  const file = { type: maker.type, bytes: Buffer.from(maker.make(basePath)) }
  made.set(path, file)
  return file
}
