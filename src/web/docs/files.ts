// The files of the documentation page, by path, as sent to browsers.
import { join } from 'node:path'
import { sampleOrigin } from '../../describe/oauth-metadata.ts'
import { describeApi } from '../../describe/openapi/document.ts'
import { fileMakers, icon, cacheFiles, scriptsOf, styleOf, type PageFile } from '../page/files.ts'
import { readDocument } from './browser/read-document.ts'
import { readGuides } from './guides.ts'
import { languages, type Language } from './languages.ts'
import { pageHtml } from './page-html.ts'

const sources = join(import.meta.dirname, 'browser')
const scripts = scriptsOf(sources)
const style = () => styleOf(join(sources, 'style'), ['frame', 'content', 'operations', 'narrow'])

export interface PageOptions {
  readonly basePath: string
  readonly publicUrl: string | null
  readonly currencies: readonly string[]
}

function page({ basePath, publicUrl, currencies }: PageOptions, language: Language): string {
  const document: unknown = JSON.parse(JSON.stringify(describeApi(null, basePath, { publicUrl, currencies })))
  const names = scripts.map(({ name }) => name).filter((name) => isLoadedIn(language, name))
  const { text } = pageHtml(readGuides(language), readDocument(document), names, publicUrl, language)
  return publicUrl === null ? text : text.replaceAll(sampleOrigin, publicUrl)
}

// A script named after a language is for its page alone. choose-language.js is not a module.
const isLoadedIn = (language: Language, name: string) =>
  name !== 'choose-language.js' && (/-(en|fr)\.js$/.exec(name)?.[1] ?? language) === language

const makersFor = (options: PageOptions) => ({
  [languages.en.path]: fileMakers.html(() => page(options, 'en')),
  [languages.fr.path]: fileMakers.html(() => page(options, 'fr')),
  '/docs/page.css': fileMakers.css(style),
  '/docs/icon.svg': fileMakers.svg(icon),
  ...Object.fromEntries(scripts.map((script) => [`/docs/${script.name}`, fileMakers.script(script)])),
})

export const pagePaths = Object.keys(makersFor({ basePath: '', publicUrl: null, currencies: [] }))

export function pageFiles(options: PageOptions): (path: string) => PageFile {
  const find = cacheFiles(makersFor(options))
  return (path) => {
    const file = find(path)
    if (!file) throw new Error(`there is no ${path}`)
    return file
  }
}
