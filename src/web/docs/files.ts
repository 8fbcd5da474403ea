// The files of the documentation page, by path, as sent to browsers.
import { join } from 'node:path'
import { sampleOrigin } from '../../describe/oauth-metadata.ts'
import { describeApi } from '../../describe/openapi/document.ts'
import { fileMakers, icon, cacheFiles, scriptsOf, styleOf, type PageFile } from '../page/files.ts'
import { readDocument } from './browser/read-document.ts'
import { readGuides } from './guides.ts'
import { pageHtml } from './page-html.ts'

const sources = join(import.meta.dirname, 'browser')
const scripts = scriptsOf(sources)
const style = () => styleOf(join(sources, 'style'), ['frame', 'content', 'operations', 'narrow'])

function page(basePath: string, publicUrl: string | null, currencies: readonly string[]): string {
  const document: unknown = JSON.parse(JSON.stringify(describeApi(null, basePath, { publicUrl, currencies })))
  const names = scripts.map(({ name }) => name)
  const { text } = pageHtml(readGuides(), readDocument(document), names, publicUrl)
  return publicUrl === null ? text : text.replaceAll(sampleOrigin, publicUrl)
}

const makersFor = (basePath: string, publicUrl: string | null, currencies: readonly string[]) => ({
  '/docs': fileMakers.html(() => page(basePath, publicUrl, currencies)),
  '/docs/page.css': fileMakers.css(style),
  '/docs/icon.svg': fileMakers.svg(icon),
  ...Object.fromEntries(scripts.map((script) => [`/docs/${script.name}`, fileMakers.script(script)])),
})

export const pagePaths = Object.keys(makersFor('', null, []))

export function pageFiles(
  basePath: string,
  publicUrl: string | null,
  currencies: readonly string[],
): (path: string) => PageFile {
  const find = cacheFiles(makersFor(basePath, publicUrl, currencies))
  return (path) => {
    const file = find(path)
    if (!file) throw new Error(`there is no ${path}`)
    return file
  }
}
