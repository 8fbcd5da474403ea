// The files of the documentation page, by path, as sent to browsers. Each is made at its first request and kept.
import { sampleOrigin } from '../../describe/oauth-metadata.ts'
import { describeApi } from '../../describe/openapi/document.ts'
import { pages, readBundle, type BundledFile } from '../page/bundle.ts'
import { readDocument } from './browser/read-document.ts'
import { readGuides } from './guides.ts'
import { chooseLanguage, languages, type Language } from './languages.ts'
import { pageHtml } from './page-html.ts'

type PageFile = Pick<BundledFile, 'type' | 'bytes'>

export interface PageOptions {
  readonly basePath: string
  readonly publicUrl: string | null
  readonly currencies: readonly string[]
}

const languageAt = new Map(
  (Object.keys(languages) as Language[]).map((language) => [languages[language].path as string, language]),
)
const names = [...pages.docs.scripts.map((name) => name.replace(/ts$/, 'js')), 'page.css', 'icon.svg']

// At `/docs` is the page in the language that the browser asks for.
const anyLanguage = '/docs'

export const pagePaths = [anyLanguage, ...languageAt.keys(), ...names.map((name) => `/docs/${name}`)]

export function pageFiles(options: PageOptions): (path: string, acceptLanguage?: string) => PageFile {
  const made = new Map<string, PageFile>()
  return (asked, acceptLanguage) => {
    const path = asked === anyLanguage ? languages[chooseLanguage(acceptLanguage)].path : asked
    const file = made.get(path) ?? makeFile(path, options)
    made.set(path, file)
    return file
  }
}

function makeFile(path: string, options: PageOptions): PageFile {
  const language = languageAt.get(path)
  if (language) return { type: 'text/html; charset=utf-8', bytes: Buffer.from(page(options, language)) }
  const file = bundle().find(({ name }) => path === `/docs/${name}`)
  if (!file) throw new Error(`there is no ${path}`)
  return file
}

let bundled: readonly BundledFile[] | undefined
const bundle = () => (bundled ??= readBundle('docs'))

function page({ basePath, publicUrl, currencies }: PageOptions, language: Language): string {
  const document: unknown = JSON.parse(JSON.stringify(describeApi(null, basePath, { publicUrl, currencies })))
  const { text } = pageHtml(readGuides(language), readDocument(document), publicUrl, language)
  return publicUrl === null ? text : text.replaceAll(sampleOrigin, publicUrl)
}
