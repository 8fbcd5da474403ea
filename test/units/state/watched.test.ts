// Whether a state works: it answers, and the last write succeeded. A loss and its end are logged once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, tellAvailability } from '../../../src/platform/log.ts'
import type { State, TokenAttempt, TokenOutcome } from '../../../src/state/state.ts'
import type { Usage } from '../../../src/state/usage.ts'
import { watchState } from '../../../src/state/watched.ts'

const attempt = {} as TokenAttempt

function watched() {
  const fails = { read: false, write: false }
  const events: string[] = []
  const added: Usage[] = []
  let outcome: TokenOutcome['is'] = 'granted'
  const answer = async <Answer>(kind: 'read' | 'write', given: Answer): Promise<Answer> => {
    if (fails[kind]) throw new Error(`no ${kind}`)
    return given
  }
  const state = {
    admit: () => answer('read', { isEnabled: true, admitted: null }),
    isEnabled: () => answer('read', false),
    requestToken: () => answer('write', { is: outcome }),
    addUsage: async (usage: readonly Usage[]) => {
      await answer('write', null)
      added.push(...usage)
    },
    close: async () => {},
  } as unknown as State
  return {
    fails,
    events,
    added,
    give: (is: TokenOutcome['is']) => (outcome = is),
    state: watchState(state, { lost: () => events.push('lost'), back: () => events.push('back') }),
  }
}

test('a state that answers is healthy, whatever it answers', async () => {
  const { state, added } = watched()
  assert.equal(await state.isHealthy(), true)
  assert.deepEqual(added, [])
})

test('a state that cannot be read is not healthy until it can', async () => {
  const { state, fails, events } = watched()
  fails.read = true
  await assert.rejects(state.admit(null), /no read/)
  await assert.rejects(state.isHealthy(), /no read/)
  assert(events.length > 0 && events.every((event) => event === 'lost'))
  fails.read = false
  assert.equal(await state.isHealthy(), true)
  assert.equal(events.at(-1), 'back')
})

test('a state that cannot write is not healthy, though it can be read; the check tries to write', async () => {
  const { state, fails, events, added } = watched()
  fails.write = true
  await assert.rejects(state.requestToken(attempt), /no write/)
  await state.admit(null)
  assert.deepEqual(events, ['lost'])
  await assert.rejects(state.isHealthy(), /no write/)
  fails.write = false
  await state.admit(null)
  assert(!events.includes('back'))
  assert.equal(await state.isHealthy(), true)
  assert.equal(events.at(-1), 'back')
  // There was no request.
  assert.deepEqual(added, [{ hour: 0, accessKey: '', resource: '', outcome: 'answered', requests: 0, records: 0 }])
})

test('an outcome for which nothing is written proves nothing; a token, and use that is handed over, do', async () => {
  for (const [outcome, isProof] of [
    ['rate limited', false],
    ['blocked', false],
    ['not enabled', false],
    ['unreadable', false],
    ['refused', true],
    ['granted', true],
  ] as const) {
    const { state, fails, events, give } = watched()
    fails.write = true
    await assert.rejects(state.addUsage([]))
    fails.write = false
    give(outcome)
    await state.requestToken(attempt)
    assert.equal(events.at(-1), isProof ? 'back' : 'lost', outcome)
    await state.addUsage([])
    assert.equal(events.at(-1), 'back')
  }
})

test('failures while it is being closed are not logged', async () => {
  const { state, fails, events } = watched()
  await state.close()
  fails.read = true
  await assert.rejects(state.admit(null))
  assert.deepEqual(events, [])
})

test('a loss and its end are logged once; the log of a flapping state is rate-limited', () => {
  const events: string[] = []
  let now = 0
  const log = createLog('info', (line) => events.push((JSON.parse(line) as { event: string }).event))
  const state = tellAvailability(log, 'state', () => now)
  const comeAndGo = () => {
    for (let turn = 0; turn < 5; turn += 1) {
      state.lost(new Error('gone'))
      state.lost(new Error('gone'))
      state.back()
      state.back()
    }
  }
  state.back()
  comeAndGo()
  assert.deepEqual(events, ['state_lost', 'state_back'])
  now = 10_001
  comeAndGo()
  assert.deepEqual(events, ['state_lost', 'state_back', 'state_lost', 'state_back'])
})
