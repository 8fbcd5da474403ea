// Every route of the console. All but the page itself, sign-in, sign-out and choosing a password need a session; every change must
// come from the console's own page, and from an administrator.
import type { Certificate } from '../../http/tls.ts'
import { changeAccount, endAccount, listAccounts, makeAccount } from './account-routes.ts'
import { downloadAudit, showAudit } from './audit-routes.ts'
import { setCompany, showChoices, showCompany, showHealth, showVolume } from './company-routes.ts'
import { refused, type ConsoleAnswer, type ConsoleCall } from './exchange.ts'
import { consoleFile } from './files.ts'
import {
  changeKey,
  endKey,
  endOldCode,
  listKeys,
  makeKey,
  newCode,
  previewKey,
  rotateCode,
  showKey,
  showUnused,
} from './key-routes.ts'
import type { ConsoleOptions, OpenRoute, Route } from './request.ts'
import { choosePassword, sessionOf, showSession, signEverybodyOut, signIn, signOut } from './sessions.ts'
import { clearBlocks, downloadUsage, showBlocks, showUsage } from './usage-routes.ts'

const signedIn =
  (route: Route): OpenRoute =>
  async (options, { session, ...request }) =>
    session ? route(options, { ...request, session }) : refused(401, 'signed_out')

const logged =
  (route: OpenRoute): OpenRoute =>
  async (options, request) => {
    const answer = await route(options, request)
    const { address, path } = request.call
    if ([401, 403, 429].includes(answer.status))
      options.log.warn('console_sign_in_refused', { address, path, status: answer.status })
    return answer
  }

// What a viewer may do beside looking: sign in and out, and change their own password.
const viewersOwn = new Set(['POST /api/session', 'DELETE /api/session', 'POST /api/password'])

export const consoleRoutes: Readonly<Record<string, OpenRoute>> = {
  'GET /api/session': showSession,
  'POST /api/session': logged(signIn),
  // Works without a session, too.
  'DELETE /api/session': signOut,
  'POST /api/password': logged(choosePassword),
  'DELETE /api/sessions': signedIn(signEverybodyOut),
  'GET /api/accounts': signedIn(listAccounts),
  'POST /api/accounts': signedIn(makeAccount),
  'PATCH /api/accounts/:name': signedIn(changeAccount),
  'DELETE /api/accounts/:name': signedIn(endAccount),
  'GET /api/keys': signedIn(listKeys),
  'POST /api/keys': signedIn(makeKey),
  'GET /api/keys/:name': signedIn(showKey),
  'PATCH /api/keys/:name': signedIn(changeKey),
  'DELETE /api/keys/:name': signedIn(endKey),
  'POST /api/keys/:name/code': signedIn(newCode),
  'POST /api/keys/:name/rotation': signedIn(rotateCode),
  'DELETE /api/keys/:name/rotation': signedIn(endOldCode),
  'GET /api/keys/:name/view': signedIn(previewKey),
  'GET /api/unused': signedIn(showUnused),
  'GET /api/choices': signedIn(showChoices),
  'GET /api/usage': signedIn(showUsage),
  'GET /api/usage.csv': signedIn(downloadUsage),
  'GET /api/audit': signedIn(showAudit),
  'GET /api/audit.csv': signedIn(downloadAudit),
  'GET /api/blocks': signedIn(showBlocks),
  'DELETE /api/blocks/:name': signedIn(clearBlocks),
  'GET /api/company': signedIn(showCompany),
  'PUT /api/company': signedIn(setCompany),
  'GET /api/health': signedIn(showHealth),
  'GET /api/volume': signedIn(showVolume),
}

export function createConsole(options: ConsoleOptions) {
  return async (call: ConsoleCall, certificate: Certificate): Promise<ConsoleAnswer> => {
    const file = call.method === 'GET' || call.method === 'HEAD' ? await consoleFile(call.path) : undefined
    if (file) return file
    const match = findRoute(call)
    if ('status' in match) return match
    if (call.method !== 'GET' && call.isForeign) return refused(403, 'foreign_page')
    const session = await sessionOf(options.state, call)
    // The only place that tells the roles apart.
    if (session?.role === 'viewer' && call.method !== 'GET' && !viewersOwn.has(match.name))
      return refused(403, 'viewer_only')
    return match.route(options, { call, session, subject: match.subject, certificate })
  }
}

function findRoute({
  method,
  path,
  query,
}: ConsoleCall): { readonly route: OpenRoute; readonly name: string; readonly subject: string } | ConsoleAnswer {
  // PostgreSQL refuses a text with NUL.
  if (/%00/.test(path) || [...query.values()].some((value) => value.includes('\0'))) return refused(404, 'not_found')
  const [, first = '', second = '', subject = '', ...rest] = path.split('/')
  const general = ['', first, second, ...(subject === '' ? [] : [':name']), ...rest].join('/')
  const methods = Object.keys(consoleRoutes).flatMap((name) => {
    const [own = '', place] = name.split(' ')
    return place === general ? [own] : []
  })
  if (methods.length === 0) return refused(404, 'not_found')
  const name = `${method} ${general}`
  const route = methods.includes(method) ? consoleRoutes[name] : undefined
  if (!route) return refused(405, 'method_not_allowed', { allowed: methods.join(', ') }, { Allow: methods.join(', ') })
  try {
    return { route, name, subject: decodeURIComponent(subject) }
  } catch {
    return refused(404, 'not_found')
  }
}
