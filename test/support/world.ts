// A whole service in a test: its own POS database, state, clock and log, asked in process, without a socket.
import { plainAddress } from '../../src/platform/addresses.ts'
import { basePath, createApp, type AppOptions } from '../../src/app.ts'
import { manualClock } from '../../src/platform/clock.ts'
import { anonymousWindows } from '../../src/http/anonymous-windows.ts'
import type { Call } from '../../src/http/exchange.ts'
import type { Handle } from '../../src/http/pipeline.ts'
import { createKey, type KeyInput } from '../../src/keys/keys.ts'
import { createBudget } from '../../src/engine/budget.ts'
import { createLog } from '../../src/platform/log.ts'
import { isDescribed, validateAnswer, wholeDocument, type AnswerToHold } from './openapi.ts'
import { makePlace } from './make-place.ts'
import { isOverViews, type EngineName } from './place.ts'
import { untilLoaded } from './until-loaded.ts'
import type { Lacking, Rows } from './pos.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  // As sent, compressed or not.
  readonly bytes: Uint8Array
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
  readonly body: any
}

export interface Asked {
  readonly method?: string
  readonly host?: string
  readonly token?: string | null
  readonly authorization?: readonly string[]
  readonly contentType?: string
  readonly acceptEncoding?: string
  readonly acceptLanguage?: string
  readonly body?: string | null
  readonly address?: string
  // Where it is not the one that it counts by.
  readonly fullAddress?: string
  readonly isSecure?: boolean
  readonly signal?: AbortSignal
}

export interface WorldOptions {
  // Where it is not the one under test.
  readonly engine?: EngineName
  readonly rows?: Rows
  readonly anonymousRate?: number
  readonly keyBudgetMs?: number
  readonly statementTimeoutMs?: number
  readonly readers?: number
  readonly timeZone?: string
  // Columns that the tables are made without. Only where there are no rows.
  readonly lacks?: Lacking
  // With one, lists are found in columns, which are loaded before the first request; else by plain SQL.
  readonly hasJournal?: boolean
}

export type World = Awaited<ReturnType<typeof createWorld>>

// The signal of a caller that never hangs up.
const present = new AbortController().signal

export const askOver =
  (handle: Handle) =>
  async (target: string, asked: Asked = {}): Promise<Answer> => {
    const [path = '', ...query] = target.split('?')
    const call: Call = {
      method: asked.method ?? 'GET',
      path: /^\/(api|docs|\.well-known)\b/.test(path) ? path : basePath + path,
      query: query.join('?'),
      host: asked.host,
      authorization: asked.authorization ?? (asked.token ? [`Bearer ${asked.token}`] : []),
      contentType: asked.contentType,
      acceptEncoding: asked.acceptEncoding,
      acceptLanguage: asked.acceptLanguage,
      address: asked.address ?? '127.0.0.1',
      fullAddress: plainAddress(asked.fullAddress ?? asked.address ?? '127.0.0.1') ?? null,
      isSecure: asked.isSecure ?? true,
      hangUp: {
        get hasHappened() {
          return this.signal.aborted
        },
        signal: asked.signal ?? present,
      },
      port: undefined,
      header: () => [],
      // null: larger than the service reads.
      body: async () => (asked.body === undefined ? '' : asked.body),
    }
    const { status, headers, body } = await handle(call)
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const text = Buffer.from(bytes).toString('utf8')
    if (headers['Content-Encoding']) return { status, headers, bytes, text, body: null }
    const isJson = headers['Content-Type']?.startsWith('application/json')
    const answer = { status, headers, bytes, text, body: isJson ? JSON.parse(text) : null }
    holdToDocument({ ...answer, method: call.method, path: call.path })
    return answer
  }

// Whatever a test is about: an answer is as the OpenAPI document has it.
function holdToDocument(answer: AnswerToHold) {
  if (!isDescribed(wholeDocument(), answer.path)) return
  const faults = validateAnswer(wholeDocument(), answer)
  const asked = `${answer.method} ${answer.path} ${answer.status}`
  if (faults.length > 0) throw new Error(`${asked} is not as described: ${faults.join(' ')}`)
}

export async function createWorld({
  engine: engineName,
  rows = {},
  anonymousRate = 1_000_000,
  statementTimeoutMs = 30_000,
  keyBudgetMs = 0,
  readers = 1,
  timeZone = 'America/Port-au-Prince',
  lacks = {},
  hasJournal = true,
}: WorldOptions = {}) {
  const place = await makePlace({ rows, hasJournal, lacks }, engineName)
  const clock = manualClock(Date.UTC(2026, 9, 1, 12))
  const logged: Record<string, unknown>[] = []
  const log = createLog('debug', (line) => logged.push(JSON.parse(line) as Record<string, unknown>), clock)
  const budget = createBudget(keyBudgetMs, clock, log)
  const engineOptions = { readers, statementTimeoutMs, log, budget }
  const engine = await place.startEngine(engineOptions)
  const engines = [engine]
  if (hasJournal && !isOverViews) await untilLoaded(engine)
  const state = await place.startState(clock)
  const anonymous = anonymousWindows(anonymousRate, clock)
  const parts: AppOptions = { engine, state, clock, log, timeZone, anonymous }
  const ask = askOver(createApp(parts))
  const signIn = (body: string | Record<string, string>, asked: Asked = {}) =>
    ask('/auth/token', {
      method: 'POST',
      contentType: 'application/x-www-form-urlencoded',
      body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
      ...asked,
    })

  let addresses = 0
  return {
    place,
    clock,
    state,
    engine,
    logged,
    ask,
    // Asks another service that differs in the parts given: a state that is down, an engine with a defect.
    askWith: (others: Partial<AppOptions>) => askOver(createApp({ ...parts, ...others })),
    // Asks another service over the same data and state, which finds every list by plain SQL.
    async askPlainly() {
      const plain = await place.startEngine({ ...engineOptions, indexMemoryBytes: 0 })
      engines.push(plain)
      return this.askWith({ engine: plain })
    },
    signIn,
    // A new key with its code.
    async makeKey(input: KeyInput = {}) {
      const made = await createKey(state, { name: 'Test', permissions: 'all', rate: '1000000', ...input })
      if ('faults' in made) throw new Error(made.faults.map(({ sentence }) => sentence).join(' '))
      return { accessKey: made.key.accessKey, securityCode: made.securityCode }
    },
    // A token of a new key.
    async tokenFor(input: KeyInput = {}, scope?: string): Promise<string> {
      const { accessKey, securityCode } = await this.makeKey(input)
      addresses += 1
      const answer = await signIn(
        {
          grant_type: 'client_credentials',
          client_id: accessKey,
          client_secret: securityCode,
          ...(scope ? { scope } : {}),
        },
        // Each from an address of its own: the token rate is not what these tests are about.
        { address: `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}` },
      )
      if (answer.status !== 200) throw new Error(answer.text)
      return String(answer.body.access_token)
    },
    async close() {
      await Promise.all([...engines.map((each) => each.close()), state.close()])
      await place.remove()
    },
  }
}
