// Whether lists come from columns or plain SQL, and what the log says about it, with a loader that the test controls.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { collections } from '../../../src/catalogue/collections.ts'
import { createBases } from '../../../src/engine/bases.ts'
import type { Loaded, LoaderRequest } from '../../../src/engine/loader.ts'
import type { LoadedBase } from '../../../src/finder/finder.ts'
import { createLog } from '../../../src/platform/log.ts'
import type { startThread } from '../../../src/platform/thread.ts'

type Load = (collection: string) => Promise<Loaded>

const names = collections.map(({ name }) => name)
const loaded = { id: 1, base: { ids: [1, 2] }, mark: {} } as unknown as LoadedBase
const loads: Load = async () => ({ loaded, from: 'database' })
const fails: Load = () => Promise.reject(new Error('connect ECONNREFUSED'))
const isPlain: Load = async () => ({ whyPlain: 'no_journal' })

const settle = () => new Promise(setImmediate)

function begin(context: TestContext, load: Load, folder: string | null = null) {
  context.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const lines: Record<string, unknown>[] = []
  const log = createLog('info', (line) => lines.push(JSON.parse(line) as Record<string, unknown>))
  const dropped: string[] = []
  const asked: string[] = []
  const loader = { load, starts: 0, die: (_cause: Error) => {} }
  const startLoader: typeof startThread = (_file, { onDeath }) => {
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => {})
    loader.starts += 1
    loader.die = (cause) => {
      onDeath?.(cause)
      reject(cause)
    }
    return {
      async call(request) {
        if ('save' in (request as LoaderRequest)) throw new Error('the disk is full')
        if (!('load' in (request as LoaderRequest))) return undefined
        const { load: name, due } = request as Extract<LoaderRequest, { load: string }>
        asked.push(due === 'load' ? name : `${due} ${name}`)
        return Promise.race([loader.load(name), promise])
      },
      stop: async () => {},
    }
  }
  const bases = createBases({
    source: { kind: 'sqlite', path: '/nowhere', timeoutMs: 1000 },
    memoryBytes: 1e9,
    folder,
    log,
    onLoaded: () => {},
    onDropped: (name) => dropped.push(name),
    startLoader,
  })
  context.after(() => bases.close())
  return {
    bases,
    loader,
    lines,
    dropped,
    asked,
    // What each passing second leads to has happened before the next.
    seconds: async (count: number) => {
      for (let second = 0; second < count; second += 1) {
        context.mock.timers.tick(1000)
        await settle()
      }
    },
    told: (event: string) => lines.filter((line) => line['event'] === event),
    reasons: () => [...new Set(bases.ways().map(({ why }) => why))],
  }
}

test('a database that cannot be read is told of once, asked again ever less often, and again when it changes', async (context) => {
  const { loader, asked, seconds, told, reasons } = begin(context, fails)
  await settle()
  await seconds(600)
  assert.equal(told('lists_not_loaded').length, 1)
  assert.deepEqual(reasons(), ['unreadable'])
  const times = asked.length / names.length
  assert(times > 15 && times < 30, `${times} times in ten minutes`)
  loader.load = () => Promise.reject(new Error('the database system is starting up'))
  await seconds(60)
  assert.equal(told('lists_not_loaded').length, 2)
  loader.load = loads
  await seconds(30)
  assert.deepEqual(reasons(), [null])
  assert.equal(told('lists_by_columns').length, names.length)
})

test('one collection that fails keeps no other from its columns', async (context) => {
  const { bases } = begin(context, (name) => (name === names[0] ? fails : loads)(name))
  await settle()
  const plain = bases.ways().filter(({ way }) => way === 'plain')
  assert.deepEqual(
    plain.map(({ collection }) => collection),
    [names[0]],
  )
})

test('a reason is one line for all collections that share it, and is not repeated while it lasts', async (context) => {
  const { seconds, told, reasons, loader } = begin(context, async (name) =>
    name === 'stores' ? { whyPlain: 'unusual_value', detail: 'an id is no integer' } : isPlain(name),
  )
  await settle()
  await seconds(120)
  const lines = told('lists_by_plain_sql').map(({ collections: some, why }) => [some, why])
  assert.deepEqual(lines, [
    [names.filter((name) => name !== 'stores'), 'the database has no journal: run "vitrine schema apply"'],
    [['stores'], 'it holds a value that columns cannot hold exactly: an id is no integer'],
  ])
  assert.deepEqual(new Set(reasons()), new Set(['no_journal', 'unusual_value']))
  loader.load = loads
  await seconds(30)
  // A value that cannot be kept is looked for again after an hour.
  assert.deepEqual(new Set(reasons()), new Set([null, 'unusual_value']))
})

test('a loader that dies is replaced after a pause that grows, and no reader keeps what it loaded', async (context) => {
  const { loader, dropped, seconds, told, reasons } = begin(context, loads)
  await settle()
  assert.deepEqual(reasons(), [null])
  loader.die(new Error('out of memory'))
  await settle()
  assert.deepEqual([dropped, reasons()], [names, ['loading']])
  await seconds(1)
  assert.deepEqual([loader.starts, reasons()], [2, [null]])
  // It dies of every request.
  loader.load = async () => {
    loader.die(new Error('out of memory'))
    return new Promise(() => {})
  }
  loader.die(new Error('out of memory'))
  await seconds(600)
  const { length } = told('loader_died')
  assert(length > 15 && length < 35, `${length} deaths in ten minutes`)
  assert.deepEqual([told('lists_not_loaded'), reasons()], [[], ['loading']])
})

test('a collection that goes by plain SQL from now on is dropped by the readers', async (context) => {
  const { bases, loader, dropped, reasons } = begin(context, loads)
  await settle()
  loader.load = isPlain
  for (const name of names) bases.onGrown(name, 1)
  await settle()
  assert.deepEqual([dropped, reasons()], [names, ['no_journal']])
})

const large = { ...loaded, base: { ids: { length: 20_000 } } } as unknown as LoadedBase
const largest: Load = async (name) => ({
  loaded: name === 'invoices' || name === 'payments' ? large : loaded,
  from: 'database',
})

test('large bases keep up with the tills while no list is asked for, and a failure changes nothing', async (context) => {
  const { loader, asked, seconds, told, reasons } = begin(context, largest)
  await settle()
  asked.length = 0
  loader.load = async () => ({ isKept: true })
  await seconds(10)
  assert.deepEqual(asked.toSorted(), ['keep up invoices', 'keep up payments'])
  loader.load = fails
  await seconds(20)
  // One that fails ends the turn.
  assert.equal(asked.length, 4)
  assert.deepEqual([told('lists_not_loaded').length, reasons()], [1, [null]])
})

test('a base that is out of date for a reader is merged with its changes, one that is wrong is loaded anew', async (context) => {
  const { bases, asked, dropped, reasons, told } = begin(context, loads)
  await settle()
  asked.length = 0
  bases.onVoid('invoices', 1, 'too much was written since', false)
  bases.onVoid('payments', 1, 'they named a record that is not there', true)
  await settle()
  assert.deepEqual(
    [asked.toSorted(), dropped.toSorted()],
    [
      ['merge invoices', 'payments'],
      ['invoices', 'payments'],
    ],
  )
  assert.deepEqual(
    told('lists_void').map(({ collection }) => collection),
    ['invoices', 'payments'],
  )
  assert.deepEqual(reasons(), [null])
})

test('columns that cannot be saved are told of, and lists go on', async (context) => {
  const { seconds, told, reasons } = begin(context, loads, '/nowhere')
  await settle()
  await seconds(600)
  assert.equal(told('lists_not_saved').length, 1)
  assert.deepEqual(reasons(), [null])
})
