// GET /docs and what it loads: the documentation page. It holds nothing of the company's, so it opens to anybody, also
// while the company has no subscription.
import { pageFiles, pagePaths } from './files.ts'
import type { Route } from '../../http/route.ts'

// Nothing from elsewhere, nothing inline, and nobody shows it in a frame of theirs.
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
  answer() {
    const { type, bytes } = find(path)
    const headers = {
      'Content-Type': type,
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
    }
    return { status: 200, headers, body: bytes, isFixed: true }
  },
})

export function docsRoutes(basePath: string, publicUrl: string | null): [path: string, route: Route][] {
  const find = pageFiles(basePath, publicUrl)
  return pagePaths.map((path) => [path, docsRoute(path, find)])
}
