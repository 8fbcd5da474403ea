// The files of the documentation page, by path, as sent to browsers. Each is made at its first request and kept.
import { pages, type BundledFile } from '../page/bundle.ts'
import { bundleOnce, madeOnce } from '../page/made.ts'
import { chooseLanguage, languages, type Language } from './languages.ts'
import type { PageOptions } from './page.ts'

type PageFile = Pick<BundledFile, 'type' | 'bytes'>

const names = [...pages.docs.scripts.map((name) => name.replace(/ts$/, 'js')), 'page.css', 'icon.svg']

// The page in the language that the browser asks for.
const docsPath = '/docs'

export const pagePaths = [
  docsPath,
  ...Object.values(languages).map(({ path }) => path),
  ...names.map((name) => `/docs/${name}`),
]

const bundle = bundleOnce('docs')

export function pageFiles(options: PageOptions): (path: string, acceptLanguage?: string) => Promise<PageFile> {
  const made = new Map<string, () => Promise<Uint8Array>>()
  for (const language of Object.keys(languages) as Language[])
    made.set(languages[language].path, madeOnce(new URL('page-thread.ts', import.meta.url), [options, language]))
  return async (asked, acceptLanguage) => {
    const path = asked === docsPath ? languages[chooseLanguage(acceptLanguage)].path : asked
    const page = made.get(path)
    if (page) return { type: 'text/html; charset=utf-8', bytes: await page() }
    const file = (await bundle()).find(({ name }) => path === `/docs/${name}`)
    if (!file) throw new Error(`there is no ${path}`)
    return file
  }
}
