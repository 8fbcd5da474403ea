// Every route of the service. src/http/checks.ts lists the checks that run before them.
import { resources, resourcesWith } from './catalogue/resources/index.ts'
import type { Clock } from './platform/clock.ts'
import { metadataPath } from './describe/oauth-metadata.ts'
import { feedPath } from './describe/resources.ts'
import type { Engine } from './engine/engine.ts'
import type { AnonymousWindows } from './http/anonymous-windows.ts'
import { createPipeline, type Answered, type Handle } from './http/pipeline.ts'
import type { RouteMatch, Route } from './http/route.ts'
import type { Log } from './platform/log.ts'
import { revokeRoute, tokenRoute } from './routes/auth.ts'
import { changesRoute, type OnLook } from './routes/changes.ts'
import { detailRoute, listRoute } from './routes/data.ts'
import { openApiRoute, resourcesRoute } from './routes/descriptions.ts'
import { docsRoutes } from './web/docs/route.ts'
import { oauthMetadataRoute } from './routes/oauth-metadata.ts'
import { pingRoute } from './routes/ping.ts'
import { statusRoute } from './routes/status.ts'
import { usualCurrencies } from './settings/currencies.ts'
import type { State } from './state/state.ts'

export const basePath = '/api/v1'

export interface AppOptions {
  readonly engine: Engine
  readonly state: State
  readonly clock: Clock
  readonly log: Log
  readonly timeZone: string
  // The company's; without it, those of the specification.
  readonly currencies?: readonly string[]
  readonly anonymous: AnonymousWindows
  // The address that callers use, if it is set.
  readonly publicUrl?: string | null
  // Called for every answer.
  readonly onAnswer?: (answered: Answered) => void
  readonly onLook?: OnLook
}

type RouteOptions = Pick<AppOptions, 'engine' | 'state' | 'clock' | 'timeZone' | 'currencies' | 'publicUrl' | 'onLook'>

export function createRoutes(options: RouteOptions): Map<string, Route> {
  const { engine, state, clock, timeZone, currencies = usualCurrencies, publicUrl = null, onLook = () => {} } = options
  const offered = resourcesWith(currencies)
  return new Map<string, Route>([
    ['/status', statusRoute(state, clock, timeZone)],
    ['/auth/token', tokenRoute(state)],
    ['/auth/revoke', revokeRoute(state)],
    ['/ping', pingRoute(engine)],
    ['/resources', resourcesRoute(engine, basePath, currencies)],
    ['/openapi.json', openApiRoute(engine, basePath, publicUrl, currencies)],
    ...offered.flatMap((resource): [string, Route][] => [
      [`/${resource.name}`, listRoute(resource, engine)],
      [`/${resource.name}/{id}`, detailRoute(resource, engine)],
    ]),
    [feedPath, changesRoute({ path: feedPath, resources: offered, engine, state, onLook })],
    ...offered.map((resource): [string, Route] => {
      const path = `${feedPath}/${resource.name}`
      return [
        path,
        changesRoute({ path, resources: [resource], permission: resource.permission, engine, state, onLook }),
      ]
    }),
  ])
}

// The name that usage is counted under, for each route of data.
const countedAs = new Map<string | null, string>(
  resources.flatMap(({ name }) => [
    [`/${name}`, name],
    [`/${name}/{id}`, name],
    [`${feedPath}/${name}`, 'changes'],
  ]),
).set(feedPath, 'changes')
export const resourceOf = (route: string | null): string => countedAs.get(route) ?? 'other'

export function createApp(options: AppOptions): Handle {
  const { state, clock, log, anonymous, currencies = usualCurrencies, publicUrl = null, onAnswer } = options
  const routes = createRoutes(options)
  // Outside the base path of the API.
  const pages = new Map([
    ...docsRoutes({ basePath, publicUrl, currencies }),
    [metadataPath, oauthMetadataRoute(basePath, publicUrl)],
  ])
  return createPipeline({
    state,
    clock,
    log,
    anonymous,
    onAnswer,
    find: ({ path, query }) => findPage(pages, path) ?? findRoute(routes, path, query, options.engine),
  })
}

function findPage(pages: ReadonlyMap<string, Route>, path: string): RouteMatch | undefined {
  const route = pages.get(path)
  return route && { route, name: path, id: '' }
}

function findRoute(
  routes: ReadonlyMap<string, Route>,
  path: string,
  query: string,
  engine: Engine,
): RouteMatch | undefined {
  if (!path.startsWith(`${basePath}/`)) return undefined
  const rest = path.slice(basePath.length)
  // A caller with a cursor has seen the feed, and is told to wait for it. Where it has to be looked for, the route does so.
  const isFollowing = /(^|&)cursor=./.test(query)
  if (`${rest}/`.startsWith(`${feedPath}/`) && !isFollowing && engine.hasFeed() === false) return undefined
  const exact = routes.get(rest)
  if (exact && !rest.includes('{')) return { route: exact, name: rest, id: '' }
  const at = rest.lastIndexOf('/')
  const name = `${rest.slice(0, at)}/{id}`
  const route = at > 0 && at < rest.length - 1 ? routes.get(name) : undefined
  return route && { route, name, id: rest.slice(at + 1) }
}
