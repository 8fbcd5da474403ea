// The files of the console's page, by path, as replies. The page itself is never cached; all else is named by its content, so
// browsers keep it.
import type { Reply } from '../../http/exchange.ts'
import type { BundledFile } from '../page/bundle.ts'
import { bundleOnce } from '../page/made.ts'
import { pageHtml } from './page-html.ts'

const replyOf = (type: string, body: Uint8Array, headers = {}): Reply => ({
  status: 200,
  headers: { 'Content-Type': type, ...headers },
  body,
  isFixed: true,
})

function bundledFiles(files: readonly BundledFile[]): ReadonlyMap<string, Reply> {
  const pathOf = (kind: RegExp) => `/${files.find(({ name }) => kind.test(name))?.name}`
  const page = pageHtml(pathOf(/^page-.*js$/), pathOf(/^page-.*css$/), pathOf(/^icon-/))
  const forever = { 'Cache-Control': 'public, max-age=31536000, immutable' }
  return new Map([
    ['/', replyOf('text/html; charset=utf-8', Buffer.from(page.text))],
    ...files.map(({ name, type, bytes }) => [`/${name}`, replyOf(type, bytes, forever)] as const),
  ])
}

const bundle = bundleOnce('console')

// Made at the first request and kept.
let made: ReadonlyMap<string, Reply> | undefined
const replies = async () => (made ??= bundledFiles(await bundle()))

export const consolePaths = async (): Promise<string[]> => [...(await replies()).keys()]
export const consoleFile = async (path: string): Promise<Reply | undefined> =>
  path.startsWith('/api/') ? undefined : (await replies()).get(path)
