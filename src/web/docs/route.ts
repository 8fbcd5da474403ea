// GET /docs and its files: the documentation page. It holds no data of the company, so it needs neither a token nor a subscription.
import { pageFiles, pagePaths, type PageOptions } from './files.ts'
import type { Route } from '../../http/route.ts'

// Nothing from other origins, nothing inline, no framing.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const docsRoute = (path: string, find: ReturnType<typeof pageFiles>): Route => ({
  method: 'GET',
  opens: 'to all',
  answer({ acceptLanguage }) {
    const { type, bytes } = find(path, acceptLanguage)
    const headers = {
      'Content-Type': type,
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
    }
    return { status: 200, headers, body: bytes, isFixed: true }
  },
})

export function docsRoutes(options: PageOptions): [path: string, route: Route][] {
  const find = pageFiles(options)
  return pagePaths.map((path) => [path, docsRoute(path, find)])
}
