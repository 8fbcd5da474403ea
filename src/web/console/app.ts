// Every route of the console. All but the page itself, sign-in, sign-out and choosing a password need a session; every change must
// come from the console's own page, and from an administrator.
import type { Engine } from '../../engine/engine.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Certificate } from '../../http/tls.ts'
import type { ConsoleSession } from '../../state/console-access.ts'
import type { State } from '../../state/state.ts'
import { setCompany, showChoices, showCompany, showHealth, showVolume } from './company-routes.ts'
import { downloadAudit, showAudit } from './audit-routes.ts'
import { changeAccount, endAccount, listAccounts, makeAccount } from './account-routes.ts'
import { consoleFile } from './files.ts'
import { refused, type ConsoleAnswer, type ConsoleCall } from './exchange.ts'
import {
  changeKey,
  endKey,
  endOldCode,
  listKeys,
  makeKey,
  newCode,
  rotateCode,
  previewKey,
  showKey,
  showUnused,
} from './key-routes.ts'
import type { Vitals } from './metrics.ts'
import {
  choosePassword,
  sessionOf,
  showSession,
  signEverybodyOut,
  signIn,
  signOut,
  type ApiAddress,
} from './sessions.ts'
import { clearBlocks, downloadUsage, showBlocks, showUsage } from './usage-routes.ts'

export interface ConsoleOptions {
  readonly state: State
  readonly engine: Engine
  readonly clock: Clock
  // For the last day of a key.
  readonly timeZone: string
  readonly log: Log
  readonly vitals: (current: Certificate) => Promise<Vitals>
  // For the sample command that tries a new key.
  readonly api: ApiAddress
}

interface ConsoleRequest {
  readonly call: ConsoleCall
  readonly session: ConsoleSession | null
  // In place of `:name` in the path.
  readonly subject: string
  readonly certificate: Certificate
}

type ConsoleRoute = (request: ConsoleRequest) => Promise<ConsoleAnswer>

const signedIn =
  (answer: (request: ConsoleRequest & { readonly session: ConsoleSession }) => Promise<ConsoleAnswer>): ConsoleRoute =>
  async ({ session, ...request }) =>
    session ? answer({ ...request, session }) : refused(401, 'signed_out')

// What a viewer may do beside looking: sign in and out, and change their own password.
const viewersOwn = new Set(['POST /api/session', 'DELETE /api/session', 'POST /api/password'])

export function consoleRoutes({ state, engine, clock, timeZone, log, vitals, api }: ConsoleOptions) {
  const today = () => ({ timeZone, now: clock.now() })
  const logRefusal = async ({ address, path }: ConsoleCall, answering: Promise<ConsoleAnswer>) => {
    const answer = await answering
    if ([401, 403, 429].includes(answer.status))
      log.warn('console_sign_in_refused', { address, path, status: answer.status })
    return answer
  }
  const routes: Readonly<Record<string, ConsoleRoute>> = {
    'GET /api/session': ({ session }) => showSession(state, session, api),
    'POST /api/session': ({ call }) => logRefusal(call, signIn(state, call)),
    // Works without a session, too.
    'DELETE /api/session': ({ call }) => signOut(state, call),
    'POST /api/password': ({ call, session }) => logRefusal(call, choosePassword(state, call, session)),
    'DELETE /api/sessions': signedIn(({ session }) => signEverybodyOut(state, session)),
    'GET /api/accounts': signedIn(({ session }) => listAccounts(state, session)),
    'POST /api/accounts': signedIn(({ call, session }) => makeAccount(state, call, session)),
    'PATCH /api/accounts/:name': signedIn(({ call, session, subject }) => changeAccount(state, call, subject, session)),
    'DELETE /api/accounts/:name': signedIn(({ session, subject }) => endAccount(state, subject, session)),
    'GET /api/keys': signedIn(({ call }) => listKeys(state, call, clock.now())),
    'POST /api/keys': signedIn(({ call, session }) => makeKey(state, call, session.by, today())),
    'GET /api/keys/:name': signedIn(({ call, subject }) => showKey(state, call, subject, clock.now())),
    'PATCH /api/keys/:name': signedIn(({ call, session, subject }) =>
      changeKey(state, call, subject, session.by, today()),
    ),
    'DELETE /api/keys/:name': signedIn(({ session, subject }) => endKey(state, subject, session.by, clock.now())),
    'POST /api/keys/:name/code': signedIn(({ session, subject }) => newCode(state, subject, session.by, clock.now())),
    'POST /api/keys/:name/rotation': signedIn(({ call, session, subject }) =>
      rotateCode(state, call, subject, session.by, clock.now()),
    ),
    'DELETE /api/keys/:name/rotation': signedIn(({ session, subject }) =>
      endOldCode(state, subject, session.by, clock.now()),
    ),
    'GET /api/keys/:name/view': signedIn(({ subject }) => previewKey(state, engine, subject, clock.now())),
    'GET /api/unused': signedIn(() => showUnused(state, clock.now())),
    'GET /api/choices': signedIn(() => showChoices(engine)),
    'GET /api/usage': signedIn(({ call }) => showUsage(state, call, clock.now())),
    'GET /api/usage.csv': signedIn(({ call }) => downloadUsage(state, call, clock.now())),
    'GET /api/audit': signedIn(({ call }) => showAudit(state, call)),
    'GET /api/audit.csv': signedIn(({ call }) => downloadAudit(state, call)),
    'GET /api/blocks': signedIn(() => showBlocks(state)),
    'DELETE /api/blocks/:name': signedIn(({ session, subject }) => clearBlocks(state, subject, session.by)),
    'GET /api/company': signedIn(() => showCompany(state)),
    'PUT /api/company': signedIn(({ call, session }) => setCompany(state, call, session.by)),
    'GET /api/health': signedIn(async ({ certificate }) => showHealth(await vitals(certificate))),
    'GET /api/volume': signedIn(() => showVolume(engine)),
  }
  return routes
}

export function createConsole(options: ConsoleOptions) {
  const routes = consoleRoutes(options)
  return async (call: ConsoleCall, certificate: Certificate): Promise<ConsoleAnswer> => {
    const file = call.method === 'GET' || call.method === 'HEAD' ? consoleFile(call.path) : undefined
    if (file) return file
    const match = findRoute(call, routes)
    if ('status' in match) return match
    if (call.method !== 'GET' && call.isForeign) return refused(403, 'foreign_page')
    const session = await sessionOf(options.state, call)
    // The only place that tells the roles apart.
    if (session?.role === 'viewer' && call.method !== 'GET' && !viewersOwn.has(match.name))
      return refused(403, 'viewer_only')
    return match.route({ call, session, subject: match.subject, certificate })
  }
}

function findRoute(
  { method, path, query }: ConsoleCall,
  routes: Readonly<Record<string, ConsoleRoute>>,
): { readonly route: ConsoleRoute; readonly name: string; readonly subject: string } | ConsoleAnswer {
  // PostgreSQL refuses a text with NUL.
  if (/%00/.test(path) || [...query.values()].some((value) => value.includes('\0'))) return refused(404, 'not_found')
  const [, first = '', second = '', subject = '', ...rest] = path.split('/')
  const general = ['', first, second, ...(subject === '' ? [] : [':name']), ...rest].join('/')
  const methods = Object.keys(routes).flatMap((name) => {
    const [own = '', place] = name.split(' ')
    return place === general ? [own] : []
  })
  if (methods.length === 0) return refused(404, 'not_found')
  const name = `${method} ${general}`
  const route = methods.includes(method) ? routes[name] : undefined
  if (!route) return refused(405, 'method_not_allowed', { allowed: methods.join(', ') }, { Allow: methods.join(', ') })
  try {
    return { route, name, subject: decodeURIComponent(subject) }
  } catch {
    return refused(404, 'not_found')
  }
}
