// The console's routes without a listener, over a small company: an administrator who is signed in, and others who can be.
import assert from 'node:assert/strict'
import { hashSecret, makeToken } from '../../src/auth/secrets.ts'
import { consoleRoutes, createConsole } from '../../src/web/console/app.ts'
import type { ConsoleAnswer, ConsoleCall } from '../../src/web/console/exchange.ts'
import { makePassword } from '../../src/web/console/password.ts'
import type { ConsoleOptions } from '../../src/web/console/request.ts'
import { endOf } from '../../src/http/tls.ts'
import { createLog } from '../../src/platform/log.ts'
import { makeSelfSigned } from '../../src/http/self-signed.ts'
import type { Password, Role } from '../../src/state/console-access.ts'
import type { State } from '../../src/state/state.ts'
import { filledRow } from './fixture.ts'
import { createWorld, type World } from './world.ts'

export const secret = 'correct horse battery'
export const certificate = makeSelfSigned({ names: ['localhost'], days: 10, now: new Date() })

interface Asked {
  readonly method?: string
  readonly body?: Readonly<Record<string, unknown>> | null
  readonly credential?: string
  readonly isForeign?: boolean
  readonly address?: string
}

export interface Told {
  readonly status: number
  readonly cookie: string | null | undefined
  readonly headers: Readonly<Record<string, string>>
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
  readonly body: any
}

export const moment = (ms: number) => new Date(ms).toISOString()

export const told = ({ status, headers = {}, body = '', cookie }: ConsoleAnswer): Told => {
  const text = String(body)
  const isJson = headers['Content-Type'] === 'application/json'
  return { status, cookie, headers, body: isJson ? JSON.parse(text) : text === '' ? null : text }
}

export const credentialOf = ({ cookie, body }: Told) => `${cookie} ${body.proof}`

export const consoleCall = (
  path: string,
  { method = 'GET', body = null, credential = '', ...rest }: Asked,
): ConsoleCall => {
  const { isForeign = false, address = '127.0.0.1' } = rest
  const url = new URL(path, 'https://console')
  return {
    method,
    path: url.pathname,
    query: url.searchParams,
    address,
    credential: credential === '' ? null : credential,
    authorization: [],
    acceptEncoding: undefined,
    isForeign,
    body: async () => body,
  }
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
  const handle = createConsole(options)
  await world.state.createAccount('Marie', 'administrator', password)
  let addresses = 0
  return {
    world,
    logged,
    routeNames: Object.keys(consoleRoutes),
    /** Of Marie, with which everything is asked unless another is given. */
    credential: '',
    async ask(path: string, asked: Asked = {}): Promise<Told> {
      return told(await handle(consoleCall(path, { credential: this.credential, ...asked }), certificate))
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
