// Every operation of the state fails at its first statement, at its second, and so on, until it succeeds. After each failure the
// state, with its audit, is wholly as before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashSecret } from '../../../src/auth/secrets.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { stateMethods } from '../../../src/state/methods.ts'
import { createOperations, type SharedMethod } from '../../../src/state/operations.ts'
import { createRunner, sqliteDialect } from '../../../src/state/sqlite/run.ts'
import { migrate } from '../../../src/state/sqlite/schema.ts'
import type { State } from '../../../src/state/state.ts'
import type { Row, Steps } from '../../../src/state/steps.ts'

type Calls = { readonly [Name in SharedMethod]: Parameters<State[Name]> }
type AnyOperation = (now: number, ...parameters: readonly unknown[]) => Steps<unknown>

const begin = 1_700_000_000_000
const minute = 60_000
const shared = createOperations(sqliteDialect).shared as Readonly<Record<SharedMethod, AnyOperation>>

const [code, next] = [hashSecret('code'), hashSecret('next')]
const terms = (accessKey: string) => ({
  accessKey,
  name: accessKey,
  permissions: ['products:read' as const],
  stores: null,
  priceList: null,
  rate: 60,
})
const attempt = (tokenHash = hashSecret('token'), codeHash = code) => ({
  address: '192.0.2.1',
  accessKey: 'A',
  codeHash,
  isReadable: true,
  scope: null,
  tokenHash,
})
const password = { salt: new Uint8Array(16), hash: hashSecret('password') }
const [session, link] = [hashSecret('session'), hashSecret('link')]
const origin = { address: '192.0.2.1', account: 'Anne', browser: null }
const lastUse = { accessKey: 'A', permission: '' as const, at: begin, address: '192.0.2.1' }

const used = {
  hour: begin,
  accessKey: 'A',
  resource: 'products',
  outcome: 'answered' as const,
  requests: 1,
  records: 2,
}

const prepare = (perform: <Name extends SharedMethod>(name: Name, ...parameters: Calls[Name]) => unknown) => {
  perform('offerLink', link)
  perform('createKey', terms('A'), code)
  perform('createKey', terms('B'), code)
  perform('rotateKey', 'B', next, minute)
  perform('requestToken', attempt())
  perform('requestToken', { ...attempt(), address: '192.0.2.2', codeHash: next })
  for (let failures = 0; failures < 4; failures += 1) perform('requestToken', attempt(undefined, next))
}

const calls: Calls = {
  requestToken: [attempt(hashSecret('another'))],
  revokeToken: [attempt()],
  tokenWindow: ['192.0.2.1'],
  listBlocks: [],
  clearBlocks: ['192.0.2.1', 'Anne'],
  listKeys: [],
  findKey: ['A'],
  listExpiries: [],
  createKey: [terms('C'), code, 'Anne'],
  updateKey: ['A', { rate: 7, isDisabled: false, permissions: ['products:read', 'costs:read'] }, 'Anne'],
  regenerateKey: ['A', next, 'Anne'],
  rotateKey: ['A', next, minute, 'Anne'],
  finishRotation: ['B', 'Anne'],
  revokeKey: ['A', 'Anne'],
  setEnabled: [false, 'Anne'],
  listAccounts: [],
  findSalt: ['Anne'],
  createAccount: ['Carl', 'viewer', password, 'Anne'],
  updateAccount: ['Ben', { role: 'administrator', password }, 'Anne'],
  removeAccount: ['Ben', 'Anne'],
  offerLink: [hashSecret('link 2')],
  isLinkOpen: [link],
  useLink: [link, 'Anne', password],
  signInWait: [origin],
  signIn: [origin, { passwordHash: password.hash, sessionHash: hashSecret('session 2') }],
  changePassword: [origin, password.hash, { ...password, hash: next }],
  findSession: [session],
  endSession: [session],
  endSessions: ['Anne'],
  listAudit: [{ limit: 10 }],
  listActors: [],
  listSubjects: [],
  addUsage: [[used], [lastUse]],
  sumUsage: [['accessKey'], { from: begin, to: begin + minute }],
  listLastUse: ['keys', null],
}

// What they do is seen before there is an account.
const withoutAccounts = new Set<SharedMethod>(['offerLink', 'useLink'])

/** The same steps, but the statement at one place fails. */
function* failingAt(place: number, steps: Steps<unknown>, onFailure: () => void): Steps<unknown> {
  let step = steps.next()
  for (let at = 1; !step.done; at += 1) {
    if (at === place) {
      onFailure()
      step = steps.throw(new Error('swept'))
      continue
    }
    let rows: readonly Row[]
    try {
      rows = yield step.value
    } catch (error) {
      step = steps.throw(error)
      continue
    }
    step = steps.next(rows)
  }
  return step.value
}

for (const name of Object.keys(calls) as SharedMethod[])
  test(`faults: ${name} is done wholly or not at all, whichever of its statements fails`, (context) => {
    const database = openSqlite(':memory:')
    context.after(() => database.close())
    migrate(database)
    const { transact } = createRunner(database)
    let now = begin
    const tables = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`).all()
    const stored = () =>
      tables.map((table) => database.prepare(`SELECT * FROM "${String(table['name'])}" ORDER BY 1, 2`).all())
    const perform = <Name extends SharedMethod>(each: Name, ...parameters: Calls[Name]) =>
      transact(shared[each](now, ...parameters), stateMethods[each])
    prepare(perform)
    if (!withoutAccounts.has(name)) {
      perform('createAccount', 'Anne', 'administrator', password)
      perform('createAccount', 'Ben', 'viewer', password)
      perform('signIn', origin, { passwordHash: password.hash, sessionHash: session })
    }
    // A session is prolonged once a minute.
    if (name === 'findSession') now += minute

    const before = stored()
    const isWritten = stateMethods[name].transaction !== undefined
    let [place, hasFailed] = [0, true]
    while (hasFailed) {
      hasFailed = false
      place += 1
      const steps = failingAt(place, shared[name](now, ...calls[name]), () => (hasFailed = true))
      try {
        transact(steps, stateMethods[name])
      } catch (error) {
        assert.equal((error as Error).message, 'swept')
      }
      if (hasFailed) assert.deepEqual(stored(), before, `statement ${place}`)
    }
    assert(place > 1)
    if (isWritten) assert.notDeepEqual(stored(), before, 'the call has an effect')
  })
