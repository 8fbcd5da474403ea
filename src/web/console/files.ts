// The files of the console's page, by their path, as they are sent.
import { join } from 'node:path'
import { fileMakers, icon, keepFiles, scriptsOf, styleOf } from '../page/files.ts'
import { pageHtml } from './page-html.ts'

const sources = join(import.meta.dirname, 'browser')
const scripts = scriptsOf(sources)
// Of the languages, the one that is needed is loaded.
const always = scripts.map(({ name }) => name).filter((name) => !name.startsWith('texts/'))

const makers = {
  '/': fileMakers.html(() => pageHtml(always).text),
  '/page.css': fileMakers.css(() => styleOf(join(sources, 'style'), ['frame', 'parts', 'views', 'narrow'])),
  '/icon.svg': fileMakers.svg(icon),
  ...Object.fromEntries(scripts.map((script) => [`/${script.name}`, fileMakers.script(script)])),
}

export const consolePaths = Object.keys(makers)
export const consoleFile = keepFiles(makers)
