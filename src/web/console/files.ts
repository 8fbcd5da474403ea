// The files of the console's page, by path, as sent to browsers.
import { join } from 'node:path'
import { fileMakers, icon, cacheFiles, scriptsOf, styleOf } from '../page/files.ts'
import { pageHtml } from './page-html.ts'

const sources = join(import.meta.dirname, 'browser')
const scripts = scriptsOf(sources)
// Languages are loaded on demand.
const always = scripts.map(({ name }) => name).filter((name) => !name.startsWith('texts/'))

const makers = {
  '/': fileMakers.html(() => pageHtml(always).text),
  '/page.css': fileMakers.css(() => styleOf(join(sources, 'style'), ['frame', 'parts', 'views', 'narrow'])),
  '/icon.svg': fileMakers.svg(icon),
  ...Object.fromEntries(scripts.map((script) => [`/${script.name}`, fileMakers.script(script)])),
}

export const consolePaths = Object.keys(makers)
export const consoleFile = cacheFiles(makers)
