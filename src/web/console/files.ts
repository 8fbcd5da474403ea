// The files of the console's page, by path, as answers. The page itself is never cached; all else is named by its content, so
// browsers keep it.
import type { BundledFile } from '../page/bundle.ts'
import { bundleOnce } from '../page/made.ts'
import type { ConsoleAnswer } from './exchange.ts'
import { pageHtml } from './page-html.ts'

const answerOf = (type: string, body: Uint8Array, headers = {}): ConsoleAnswer => ({
  status: 200,
  headers: { 'Content-Type': type, ...headers },
  body,
  isFixed: true,
})

function makeAnswers(files: readonly BundledFile[]): ReadonlyMap<string, ConsoleAnswer> {
  const pathOf = (kind: RegExp) => `/${files.find(({ name }) => kind.test(name))?.name}`
  const page = pageHtml(pathOf(/^page-.*js$/), pathOf(/^page-.*css$/), pathOf(/^icon-/))
  const forever = { 'Cache-Control': 'public, max-age=31536000, immutable' }
  return new Map([
    ['/', answerOf('text/html; charset=utf-8', Buffer.from(page.text))],
    ...files.map(({ name, type, bytes }) => [`/${name}`, answerOf(type, bytes, forever)] as const),
  ])
}

const bundle = bundleOnce('console')

// Made at the first request and kept.
let made: ReadonlyMap<string, ConsoleAnswer> | undefined
const answers = async () => (made ??= makeAnswers(await bundle()))

export const consolePaths = async (): Promise<string[]> => [...(await answers()).keys()]
export const consoleFile = async (path: string): Promise<ConsoleAnswer | undefined> =>
  path.startsWith('/api/') ? undefined : (await answers()).get(path)
