// The files of the documentation page, by their path, as they are sent.
import { join } from 'node:path'
import { describeApi } from '../describe/openapi/document.ts'
import { fileMakers, icon, keepFiles, scriptsOf, styleOf, type PageFile } from '../page/files.ts'
import { readDocument } from './browser/read-document.ts'
import { readGuides } from './guides.ts'
import { pageHtml } from './page-html.ts'

const sources = join(import.meta.dirname, 'browser')
const scripts = scriptsOf(sources)
const style = () => styleOf(join(sources, 'style'), ['frame', 'content', 'operations', 'narrow'])

function page(basePath: string): string {
  const document: unknown = JSON.parse(JSON.stringify(describeApi(null, basePath)))
  const names = scripts.map(({ name }) => name)
  return pageHtml(readGuides(), readDocument(document), names).text
}

const makersFor = (basePath: string) => ({
  '/docs': fileMakers.html(() => page(basePath)),
  '/docs/page.css': fileMakers.css(style),
  '/docs/icon.svg': fileMakers.svg(icon),
  ...Object.fromEntries(scripts.map((script) => [`/docs/${script.name}`, fileMakers.script(script)])),
})

export const pagePaths = Object.keys(makersFor(''))

export function pageFiles(basePath: string): (path: string) => PageFile {
  const find = keepFiles(makersFor(basePath))
  return (path) => {
    const file = find(path)
    if (!file) throw new Error(`there is no ${path}`)
    return file
  }
}
