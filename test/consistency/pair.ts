// Two services that differ in their engine alone, put into the same situation: null when they answer alike, to the byte,
// else what differs and where.
import assert from 'node:assert/strict'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { inPermissionOrder } from '../../src/catalogue/permissions.ts'
import { hashSecret } from '../../src/auth/secrets.ts'
import { targetOf } from '../model/compare.ts'
import { createWorld, type Answer, type Asked, type World } from '../support/world.ts'
import type { KeyChange, Situation, Step, Visitor } from './situation.ts'

export interface Difference {
  readonly visitor: number
  readonly round: number
  readonly step: number
  readonly text: string
}

// Called with each answer, to count them.
export type OnAnswer = (answer: Answer, step: Step) => void

const engines = ['sqlite', 'postgres'] as const

export async function differenceIn(
  { database, visitors, rounds }: Situation,
  onAnswer: OnAnswer = () => {},
): Promise<Difference | null> {
  const worlds = await Promise.all(
    engines.map((engine) => createWorld({ engine, rows: database, readers: 2, anonymousRate: 60 })),
  )
  try {
    const guests = await Promise.all(visitors.map((visitor, number) => enter(worlds, visitor, number)))
    for (const [round, { steps, isEnabled, ms }] of rounds.entries()) {
      for (const { state } of worlds) await state.setEnabled(isEnabled)
      const found = await Promise.all(
        guests.map(async (guest, visitor) => {
          for (const [at, step] of (steps[visitor] ?? []).entries()) {
            const text = await guest.take(step, onAnswer)
            if (text !== null) return { visitor, round, step: at, text }
          }
          return null
        }),
      )
      const first = found.find((each) => each !== null)
      if (first) return first
      for (const { clock } of worlds) clock.advance(ms)
    }
    return await stateDifference(worlds, rounds.length)
  } finally {
    await Promise.all(worlds.map((world) => world.close()))
  }
}

// What the services remember afterwards.
async function stateDifference(worlds: readonly World[], round: number): Promise<Difference | null> {
  const [one, other] = await Promise.all(
    worlds.map(async ({ state }) => JSON.stringify({ keys: await state.listKeys(), blocks: await state.listBlocks() })),
  )
  return one === other ? null : { visitor: 0, round, step: 0, text: `the state after it all:\n  ${one}\n  ${other}` }
}

// A visitor with its key in both services, and its address.
async function enter(worlds: readonly World[], { caller, rate }: Visitor, number: number) {
  const accessKey = `svc_ak_${String(number).padStart(24, 'p')}`
  const { permissions, stores, priceList } = caller.key
  const key = { name: `Key ${number}`, permissions: inPermissionOrder(permissions), stores, priceList, rate }
  let codes = 0
  const codeNow = () => `svc_sk_${String(codes).padStart(40, 'c')}`
  for (const { state } of worlds) await state.createKey({ accessKey, ...key }, hashSecret(codeNow()))
  const tokens: (string | undefined)[] = []
  const address = `10.1.${number >> 8}.${number & 255}`
  const own = (text: string) =>
    text
      .replaceAll('KEY', accessKey)
      .replaceAll('CODE', codeNow())
      .replaceAll('BASIC', Buffer.from(`${accessKey}:${codeNow()}`).toString('base64'))
  const ask = (target: string, asked: Asked, withToken: boolean) =>
    Promise.all(
      worlds.map((world, at) =>
        world.ask(target, { address, ...asked, token: withToken ? (tokens[at] ?? null) : null }),
      ),
    )
  const take = async (step: Step): Promise<readonly Answer[]> => {
    switch (step.does) {
      case 'read':
        return ask(targetOf(step.request), { acceptEncoding: step.acceptEncoding }, true)
      case 'ask':
        return ask(step.target, step.asked, step.withToken)
      case 'sign in': {
        const { body, authorization, ...others } = step.asked
        const answers = await ask(
          '/auth/token',
          {
            method: 'POST',
            ...others,
            ...(body === undefined ? {} : { body: body === null ? null : own(body) }),
            ...(authorization ? { authorization: authorization.map(own) } : {}),
          },
          false,
        )
        if (answers.every(({ status }) => status === 200))
          answers.forEach(({ body: granted }, at) => (tokens[at] = String(granted.access_token)))
        return answers
      }
      case 'change key': {
        if (step.change === 'regenerate') codes += 1
        await Promise.all(worlds.map(({ state }) => changeKey(state, accessKey, step.change, hashSecret(codeNow()))))
        return []
      }
    }
  }

  // Every visitor begins with a token for its scope.
  const scope = caller.scope ? `&scope=${caller.scope.join('+')}` : ''
  const form = { contentType: 'application/x-www-form-urlencoded' }
  const grant = `grant_type=client_credentials&client_id=KEY&client_secret=CODE${scope}`
  const begin = await take({ does: 'sign in', asked: { ...form, body: grant } })
  assert(begin.every(({ status }) => status === 200))
  return {
    async take(step: Step, onAnswer: OnAnswer): Promise<string | null> {
      const answers = await take(step)
      const [first] = answers
      if (first) onAnswer(first, step)
      return answers.length === 0 ? null : answerDifference(answers)
    },
  }
}

function changeKey(state: World['state'], accessKey: string, change: KeyChange, codeHash: Uint8Array) {
  switch (change) {
    case 'regenerate':
      return state.regenerateKey(accessKey, codeHash)
    case 'revoke':
      return state.revokeKey(accessKey)
    case 'disable':
    case 'enable':
      return state.updateKey(accessKey, { isDisabled: change === 'disable' })
    case 'one store':
      return state.updateKey(accessKey, { stores: [2] })
    case 'slow':
      return state.updateKey(accessKey, { rate: 7 })
    case 'fewer permissions':
      return state.updateKey(accessKey, { permissions: ['invoices:read', 'products:read'] })
  }
}

function answerDifference(answers: readonly Answer[]): string | null {
  const wrong = answers.find(({ status, text }) => status === 500 || text.includes('temporarily_unavailable'))
  if (wrong) return `is answered with ${wrong.status}: ${wrong.text}`
  const [one = '', other = ''] = answers.map(looksOf)
  if (one === other) return null
  let at = 0
  while (one[at] === other[at]) at += 1
  const around = (whole: string) => whole.slice(Math.max(0, at - 80), at + 80)
  return `…${around(one)}…\n  on SQLite, on PostgreSQL\n…${around(other)}…\nthe whole answers:\n${one}\n${other}`
}

// Everything of an answer, but for what is new in each, the request id and a token, and what /status may tell a tenth of a
// second late: the subscription.
export function looksOf({ status, headers, bytes }: Answer): string {
  const { 'X-Request-Id': id = '', ...others } = headers
  assert.match(id, /^[\da-f-]{36}$/)
  const text = unpack(bytes, headers['Content-Encoding'])
    .replaceAll(id, '(id)')
    .replaceAll(/svc_at_\w{40,}/g, '(token)')
    .replace(/^(\{"status":"ok","api":"v1","enabled":)(true|false)/, '$1(sooner or later)')
  return JSON.stringify([status, Object.entries(others)]) + text
}

function unpack(bytes: Uint8Array, encoding: string | undefined): string {
  if (encoding === 'gzip') return gunzipSync(bytes).toString('utf8')
  return (encoding === 'br' ? brotliDecompressSync(bytes) : Buffer.from(bytes)).toString('utf8')
}
