// The pipeline of the API: checks, answer, the format of errors, common headers, one line in the log.
import { randomUUID } from 'node:crypto'
import { rememberHashes } from '../auth/secrets.ts'
import type { Permission } from '../catalogue/access.ts'
import type { Clock } from '../platform/clock.ts'
import { ApiError, type ErrorCode } from '../errors.ts'
import type { Log } from '../platform/log.ts'
import type { State } from '../state/state.ts'
import { answerChecked } from './answer-checked.ts'
import type { AnonymousWindows } from './anonymous-windows.ts'
import { checksFor, type Exchange } from './checks.ts'
import { compressed } from './compression.ts'
import type { Call, Reply } from './exchange.ts'
import { rememberRefused } from './refused-tokens.ts'
import { commonHeaders, errorReply, windowHeaders } from './replies.ts'
import type { RouteMatch } from './route.ts'

// What metrics and usage need to know about an answer.
export interface Answered {
  // null: no route has this path.
  readonly route: string | null
  readonly status: number
  readonly code: ErrorCode | null
  readonly key: string | null
  readonly address: string
  // The permissions that the answer depended on.
  readonly used: readonly Permission[]
  readonly seconds: number
  readonly records: number
  // The caller hung up before the answer.
  readonly isHungUp: boolean
}

interface PipelineOptions {
  readonly state: State
  readonly clock: Clock
  readonly log: Log
  readonly anonymous: AnonymousWindows
  readonly find: (call: Pick<Call, 'path' | 'query'>) => RouteMatch | undefined
  readonly onAnswer?: ((answered: Answered) => void) | undefined
}

export type Handle = (call: Call) => Promise<Reply>

// RFC 6749, section 5.1.
const uncached = { Pragma: 'no-cache' }

export function createPipeline({ state, clock, log, anonymous, find, onAnswer }: PipelineOptions): Handle {
  const refused = rememberRefused(clock)
  const hashOf = rememberHashes()
  return async (call) => {
    const startedAt = clock.now()
    const begun = performance.now()
    const requestId = randomUUID()
    const match = find(call)
    const purpose = match?.route.opens === 'to credentials' ? match.route.purpose : undefined
    const exchange: Exchange = { call, match, state, anonymous, refused, hashOf }
    let failure: ApiError | undefined
    const reply = await answerChecked(exchange, checksFor(match), answer, (error) => {
      failure = error instanceof ApiError ? error : new ApiError('internal_error', { cause: error })
      return errorReply(failure, purpose ? 'oauth' : 'data', requestId)
    })
    // A state that has just failed is not asked again.
    const mayAskState = failure?.code !== 'temporarily_unavailable'
    exchange.window ??=
      (purpose && mayAskState && (await state.tokenWindow(call.address, purpose).catch(() => undefined))) ||
      anonymous.count(call.address)
    onAnswer?.({
      route: match?.name ?? null,
      status: reply.status,
      code: failure?.code ?? null,
      key: exchange.caller?.accessKey ?? null,
      address: call.address,
      used: reply.status === 200 ? usedBy(exchange) : [],
      seconds: (performance.now() - begun) / 1000,
      records: reply.records ?? 0,
      isHungUp: call.hangUp.hasHappened,
    })
    logRequest(log, { requestId, exchange, reply, failure, ms: clock.now() - startedAt })
    const headers = {
      ...commonHeaders(requestId, call.isSecure),
      ...windowHeaders(exchange.window),
      ...(purpose ? uncached : {}),
      ...reply.headers,
    }
    return compressed({ ...reply, headers }, call.acceptEncoding)
  }
}

function answer(exchange: Exchange): Promise<Reply> | Reply {
  const { call, match } = exchange
  if (!match) throw new ApiError('not_found')
  const { route, id } = match
  if (route.opens === 'to all') return route.answer(call)
  if (route.opens === 'to all or tokens') return route.answer(call, exchange.caller ?? null)
  if (route.opens === 'to credentials') {
    return route.answer(call, ({ window, accessKey }) => {
      if (window) exchange.window = window
      if (accessKey) exchange.triedKey = accessKey
    })
  }
  if (!exchange.caller) throw new ApiError('invalid_token')
  return route.answer({ call, caller: exchange.caller, id })
}

function usedBy({ match, caller }: Exchange): readonly Permission[] {
  const route = match?.route
  if (!caller || route?.opens !== 'to tokens' || route.permission === undefined) return []
  const added = route.gates?.filter((gate) => caller.permissions.includes(gate)) ?? []
  return [route.permission, ...added]
}

interface LoggedRequest {
  readonly requestId: string
  readonly exchange: Exchange
  readonly reply: Reply
  readonly failure: ApiError | undefined
  readonly ms: number
}

// The query is left out, because it may hold names of people.
function logRequest(log: Log, { requestId, exchange: { call, caller, triedKey }, reply, failure, ms }: LoggedRequest) {
  // If the caller hung up, a timeout is not our failure.
  const hungUp = call.hangUp.hasHappened
  const isOurs = failure?.code === 'internal_error' || (failure?.code === 'temporarily_unavailable' && !hungUp)
  const fields = {
    request_id: requestId,
    method: call.method,
    path: call.path,
    status: reply.status,
    ms,
    address: call.address,
    key: caller?.accessKey ?? triedKey ?? null,
    ...(hungUp ? { hung_up: true } : {}),
    ...(failure ? { code: failure.code } : {}),
    ...(failure?.cause === undefined ? {} : { cause: failure.cause }),
  }
  if (isOurs) log.error('request', fields)
  else log.info('request', fields)
}
