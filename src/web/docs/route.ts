// GET /docs and its files: the documentation page. It holds no data of the company, so it needs neither a token nor a subscription.
import { pageFiles, pagePaths } from './files.ts'
import type { Route } from '../../http/route.ts'
import { pageHeaders } from '../page/bundle.ts'
import type { PageOptions } from './page.ts'

const docsRoute = (path: string, find: ReturnType<typeof pageFiles>): Route => ({
  method: 'GET',
  opens: 'to all',
  async answer({ acceptLanguage }) {
    const { type, bytes } = await find(path, acceptLanguage)
    return { status: 200, headers: { 'Content-Type': type, ...pageHeaders }, body: bytes, isFixed: true }
  },
})

export function docsRoutes(options: PageOptions): [path: string, route: Route][] {
  const find = pageFiles(options)
  return pagePaths.map((path) => [path, docsRoute(path, find)])
}
