// Every route of the console, on one screen. All but the page itself and signing in need a session; whatever changes something
// must come from the console's own page.
import type { Engine } from '../engine/engine.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Certificate } from '../http/tls.ts'
import type { Session, State } from '../state/state.ts'
import { setCompany, showChoices, showCompany, showHealth, showVolume } from './company-routes.ts'
import { consoleFile } from './files.ts'
import { refused, type ConsoleAnswer, type ConsoleCall } from './exchange.ts'
import { changeKey, endKey, listKeys, makeKey, newCode, seeAsKey, showKey, showUnused } from './key-routes.ts'
import type { Vitals } from './metrics.ts'
import { choosePassword, sessionOf, showSession, signEverybodyOut, signIn, signOut, type Api } from './sessions.ts'
import { clearBlocks, showAudit, showBlocks, showUse } from './use-routes.ts'

export interface ConsoleParts {
  readonly state: State
  readonly engine: Engine
  readonly clock: Clock
  readonly log: Log
  readonly vitals: (current: Certificate) => Promise<Vitals>
  // Where programs call: for the line with which somebody tries a new key.
  readonly api: Api
}

interface Asked {
  readonly call: ConsoleCall
  readonly session: Session
  // What stands in the path for `:name`.
  readonly subject: string
  readonly certificate: Certificate
}

type Answer = (asked: Asked) => Promise<ConsoleAnswer>

// Whoever is signed out already can sign out, too.
const open = new Set(['GET /api/session', 'POST /api/session', 'DELETE /api/session', 'POST /api/password'])

export function createConsole({ state, engine, clock, log, vitals, api }: ConsoleParts) {
  // Whoever guesses is seen before being blocked.
  const told = ({ address }: ConsoleCall, answer: ConsoleAnswer) => {
    if (answer.status === 401 || answer.status === 429)
      log.warn('console_sign_in_refused', { address, status: answer.status })
    return answer
  }
  const routes: Readonly<Record<string, Answer>> = {
    'DELETE /api/sessions': ({ session }) => signEverybodyOut(state, session),
    'GET /api/keys': ({ call }) => listKeys(state, call, clock.now()),
    'POST /api/keys': ({ call, session }) => makeKey(state, call, session.by),
    'GET /api/keys/:name': ({ call, subject }) => showKey(state, call, subject, clock.now()),
    'PATCH /api/keys/:name': ({ call, session, subject }) => changeKey(state, call, subject, session.by),
    'DELETE /api/keys/:name': ({ session, subject }) => endKey(state, subject, session.by),
    'POST /api/keys/:name/code': ({ session, subject }) => newCode(state, subject, session.by),
    'GET /api/keys/:name/view': ({ subject }) => seeAsKey(state, engine, subject),
    'GET /api/unused': () => showUnused(state, clock.now()),
    'GET /api/choices': () => showChoices(engine),
    'GET /api/use': ({ call }) => showUse(state, call, clock.now()),
    'GET /api/audit': ({ call }) => showAudit(state, call),
    'GET /api/blocks': () => showBlocks(state),
    'DELETE /api/blocks/:name': ({ session, subject }) => clearBlocks(state, subject, session.by),
    'GET /api/company': () => showCompany(state),
    'PUT /api/company': ({ call, session }) => setCompany(state, call, session.by),
    'GET /api/health': async ({ certificate }) => showHealth(await vitals(certificate)),
    'GET /api/volume': () => showVolume(engine),
  }

  return async (call: ConsoleCall, certificate: Certificate): Promise<ConsoleAnswer> => {
    const file = call.method === 'GET' || call.method === 'HEAD' ? consoleFile(call.path) : undefined
    if (file) return { status: 200, headers: { 'Content-Type': file.type }, body: file.bytes, isFixed: true }
    const found = findRoute(call, [...open, ...Object.keys(routes)])
    if ('status' in found) return found
    if (call.method !== 'GET' && call.isForeign) return refused(403, 'foreign_page')
    const session = await sessionOf(state, call)
    if (found.route === 'GET /api/session') return showSession(state, session, api)
    if (found.route === 'POST /api/session') return told(call, await signIn(state, call))
    if (found.route === 'DELETE /api/session') return signOut(state, call)
    if (found.route === 'POST /api/password') return choosePassword(state, call, session)
    if (!session) return refused(401, 'signed_out')
    const answer = routes[found.route]
    return answer ? answer({ call, session, subject: found.subject, certificate }) : refused(404, 'not_found')
  }
}

function findRoute(
  { method, path, query }: ConsoleCall,
  routes: readonly string[],
): { readonly route: string; readonly subject: string } | ConsoleAnswer {
  // No text of ours has a NUL, and PostgreSQL takes none.
  if (/%00/.test(path) || [...query.values()].some((value) => value.includes('\0'))) return refused(404, 'not_found')
  const [, first = '', second = '', subject = '', ...rest] = path.split('/')
  const general = ['', first, second, ...(subject === '' ? [] : [':name']), ...rest].join('/')
  const methods = routes.filter((route) => route.split(' ')[1] === general).map((route) => route.split(' ')[0] ?? '')
  if (methods.length === 0) return refused(404, 'not_found')
  if (!methods.includes(method))
    return refused(405, 'method_not_allowed', { allowed: methods.join(', ') }, { Allow: methods.join(', ') })
  try {
    return { route: `${method} ${general}`, subject: decodeURIComponent(subject) }
  } catch {
    return refused(404, 'not_found')
  }
}
