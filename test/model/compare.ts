// One request asked of the service and of the model: null when they agree, else what differs. The engine stays behind
// the world.
import { accessOf, type Caller } from './generate-access.ts'
import { expectedAnswer, type Expected, type Request } from './model.ts'
import type { Database } from './relations.ts'
import type { Answer, World } from '../support/world.ts'

export interface Case {
  readonly database: Database
  readonly caller: Caller
  readonly request: Request
}

export interface Compared {
  readonly expected: Expected
  readonly difference: string | null
}

// The refusals seen so far: a record that the caller may not see must be refused like one that does not exist.
export type Refusals = Map<string, string>

export function targetOf({ resource, id, parameters }: Request): string {
  if (id !== null) return `/${resource}/${id}`
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encode(value)}`)
  return `/${resource}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

const encode = (value: string) => encodeURIComponent(value).replaceAll('%2C', ',').replaceAll('%3A', ':')

export const tokenOf = (world: World, { key, scope }: Caller): Promise<string> =>
  world.tokenFor(
    {
      permissions: key.permissions.join(','),
      stores: key.stores === null ? 'all' : key.stores.join(',') || 'none',
      priceList: key.priceList === null ? 'all' : String(key.priceList),
    },
    scope?.join(' '),
  )

// Everything of an answer but what is new in each: the request id and the requests left.
export function looksOf({ status, headers, text, body }: Answer): string {
  const { 'X-Request-Id': _id, 'X-RateLimit-Remaining': _left, ...others } = headers
  return JSON.stringify([status, others, text.replaceAll(String(body.error?.request_id), '')])
}

function differenceInText(text: string, expected: string): string {
  let at = 0
  while (text[at] === expected[at]) at += 1
  const around = (whole: string) => whole.slice(Math.max(0, at - 60), at + 60)
  return `…${around(text)}…\n  is not the expected\n…${around(expected)}…\nthe whole answer:\n${text}\nexpected:\n${expected}`
}

function differenceOf(answer: Answer, expected: Expected, request: Request, refusals: Refusals): string | null {
  if (answer.status !== expected.status) return `status ${answer.status}, not ${expected.status}: ${answer.text}`
  if (expected.status !== 200) {
    if (answer.body.error.code !== expected.code) return `code ${answer.body.error.code}, not ${expected.code}`
    const place = `${request.resource} ${expected.status}`
    const looks = looksOf(answer)
    const before = refusals.get(place) ?? looks
    refusals.set(place, before)
    return before === looks ? null : `refused differently from before:\n  ${looks}\n  ${before}`
  }
  const count = answer.headers['X-Total-Count'] ?? null
  const total = expected.total === null ? null : String(expected.total)
  if (count !== total) return `X-Total-Count ${count}, not ${total}`
  return answer.text === expected.text ? null : differenceInText(answer.text, expected.text)
}

export async function compare(
  ask: World['ask'],
  token: string,
  { database, caller, request }: Case,
  refusals: Refusals = new Map(),
): Promise<Compared> {
  const expected = expectedAnswer(database, request, accessOf(caller))
  try {
    const answer = await ask(targetOf(request), { token })
    return { expected, difference: differenceOf(answer, expected, request, refusals) }
  } catch (error) {
    // Text that is no JSON ends here too.
    return { expected, difference: `it threw ${String(error)}` }
  }
}
