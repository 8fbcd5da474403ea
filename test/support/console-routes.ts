// The console's routes without a listener, over a small company: an administrator who is signed in, and others who can be.
import assert from 'node:assert/strict'
import { hashSecret, makeToken } from '../../src/auth/secrets.ts'
import { consoleRoutes, createConsole, type HandleConsole } from '../../src/web/console/app.ts'
import { createHostCheck } from '../../src/web/console/hosts.ts'
import { makePassword } from '../../src/web/console/password.ts'
import type { ConsoleOptions } from '../../src/web/console/request.ts'
import type { Call, Reply } from '../../src/http/exchange.ts'
import { HangUp } from '../../src/http/node-request.ts'
import { endOf } from '../../src/http/tls.ts'
import { createLog } from '../../src/platform/log.ts'
import { makeSelfSigned } from '../../src/http/self-signed.ts'
import type { Password, Role } from '../../src/state/console-access.ts'
import type { State } from '../../src/state/state.ts'
import { filledRow } from './fixture.ts'
import { createWorld, type World } from './world.ts'

export const secret = 'correct horse battery'
const certificate = makeSelfSigned({ names: ['localhost'], days: 10, now: new Date() })

interface Asked {
  readonly method?: string
  readonly body?: Readonly<Record<string, unknown>> | null
  readonly credential?: string
  // What browsers say about the page that asks.
  readonly page?: Readonly<Record<string, string>>
  readonly address?: string
}

export interface Told {
  readonly status: number
  // null: deleted.
  readonly cookie: string | null | undefined
  readonly headers: Readonly<Record<string, string>>
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
  readonly body: any
}

export const moment = (ms: number) => new Date(ms).toISOString()

const setCookie = /^__Host-vitrine-8444=([^;]*); Path=\/; Secure; HttpOnly; SameSite=Strict(; Max-Age=0)?$/

const told = ({ status, headers, body: sent }: Reply): Told => {
  const text = Buffer.from(sent as Uint8Array).toString('utf8')
  const isJson = headers['Content-Type'] === 'application/json'
  const [, cookie, deleted] = setCookie.exec(headers['Set-Cookie'] ?? '') ?? []
  return { status, cookie: deleted ? null : cookie, headers, body: isJson ? JSON.parse(text) : text || null }
}

export const credentialOf = ({ cookie, body }: Told) => `${cookie} ${body.proof}`

/** Asks as a browser does; the credential is the value of the cookie and what the page keeps. */
export const askOver =
  (handle: HandleConsole) =>
  async (path: string, { method = 'GET', body = null, credential = '', ...rest }: Asked = {}): Promise<Told> => {
    const { page = { origin: 'https://localhost' }, address = '127.0.0.1' } = rest
    const url = new URL(path, 'https://localhost')
    const [cookie, proof] = credential.split(' ')
    const headers: Readonly<Record<string, string>> = {
      host: 'localhost',
      ...page,
      ...(cookie ? { cookie: `other=1; __Host-vitrine-8444=${cookie}` } : {}),
      ...(proof ? { 'x-vitrine-session': proof } : {}),
    }
    const call: Call = {
      method,
      path: url.pathname,
      query: url.search.slice(1),
      host: 'localhost',
      authorization: [],
      contentType: 'application/json',
      acceptEncoding: undefined,
      acceptLanguage: undefined,
      address,
      fullAddress: address,
      isSecure: true,
      hangUp: new HangUp(),
      port: 8444,
      header: (name) => (headers[name] === undefined ? [] : [headers[name]]),
      body: async () => JSON.stringify(body),
    }
    return told(await handle(call, certificate))
  }

/** Signs an account in without the slow hash of what would be typed. Returns the value of the cookie, and what the page keeps. */
export async function startSession(state: State, account: string, password: Password) {
  const [value, proof] = [makeToken(), makeToken()]
  const sessionHash = hashSecret(`${value} ${proof}`)
  // From no address that tests use: where they type wrong passwords, sign-ins have to wait.
  const origin = { address: '192.0.2.1', account, browser: null }
  const { is } = await state.signIn(origin, { passwordHash: password.hash, sessionHash })
  assert.equal(is, 'granted')
  return { value, proof }
}

export const optionsOf = ({ state, engine, clock }: World, logged: string[] = []): ConsoleOptions => ({
  state,
  engine,
  clock,
  timeZone: 'America/Port-au-Prince',
  log: createLog('info', (line) => logged.push(line)),
  api: { port: 8443, basePath: '/api/v1', authority: null, publicUrl: null },
  vitals: async (current) => ({
    ...engine.load(),
    lagSeconds: null,
    isEngineUp: true,
    isStateUp: true,
    blocks: 0,
    keyExpiries: [],
    certificateEndsAt: endOf(current),
  }),
  metrics: async () => 'vitrine_up 1\n',
  metricsToken: null,
  hostRefusal: createHostCheck([]),
})

export type ConsoleRoutes = Awaited<ReturnType<typeof openConsoleRoutes>>

export async function openConsoleRoutes() {
  const password = await makePassword(secret)
  const world = await createWorld({
    rows: {
      stores: [filledRow('stores', 1, { name: 'Nò' }), filledRow('stores', 2)],
      price_lists: [filledRow('price_lists', 1)],
      invoices: [1, 2, 3].map((id) => filledRow('invoices', id, { kind: 1, store_id: id === 3 ? 2 : 1 })),
      customers: [filledRow('customers', 1)],
    },
  })
  const logged: string[] = []
  const options = optionsOf(world, logged)
  const ask = askOver(createConsole(options))
  await world.state.createAccount('Marie', 'administrator', password)
  let addresses = 0
  return {
    world,
    logged,
    routeNames: [...consoleRoutes].flatMap(([path, { methods }]) =>
      Object.keys(methods).map((each) => `${each} ${path}`),
    ),
    /** Of Marie, with which everything is asked unless another is given. */
    credential: '',
    ask(path: string, asked: Asked = {}): Promise<Told> {
      return ask(path, { credential: this.credential, ...asked })
    },
    /** From an address of its own. */
    signIn(typed = secret, asked: Asked = {}): Promise<Told> {
      addresses += 1
      const body = { password: typed, name: 'Marie' }
      const address = `10.0.0.${addresses}`
      return this.ask('/api/session', { method: 'POST', body, credential: '', address, ...asked })
    },
    /** Signs Marie in, with the password of the beginning. */
    async enter(): Promise<void> {
      await world.state.updateAccount('Marie', { password })
      const { value, proof } = await startSession(world.state, 'Marie', password)
      this.credential = `${value} ${proof}`
    },
    /** Makes an account and signs it in. */
    async enterAs(name: string, role: Role): Promise<string> {
      await world.state.createAccount(name, role, password)
      const { value, proof } = await startSession(world.state, name, password)
      return `${value} ${proof}`
    },
    close: () => world.close(),
  }
}
