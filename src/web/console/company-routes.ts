// The routes for subscription, health, data volume, and what a key can be restricted to.
import { resources } from '../../catalogue/resources/index.ts'
import type { Engine, ListWay } from '../../engine/engine.ts'
import { asker, planOf } from '../../query/plan-named.ts'
import type { Choices, Data, Health, HealthOfCopy, Named, Volume } from './answers.ts'
import { json, readObject, refusedFor, timeOf } from './exchange.ts'
import { consoleFault } from './faults.ts'
import type { CopyVitals } from './metrics.ts'
import type { Route } from './request.ts'

export const showCompany: Route = async ({ state }) => json({ enabled: await state.isEnabled() })

export const setCompany: Route = async ({ state }, { call, session }) => {
  const enabled = (await readObject(call))?.['enabled']
  if (typeof enabled !== 'boolean') return refusedFor([consoleFault('enabled_invalid')])
  await state.setEnabled(enabled, session.by)
  return json({ enabled })
}

export const showHealth: Route = async (options, { certificate }) => {
  const vitals = await options.vitals(certificate)
  const { journalFrom } = vitals
  return json({
    engine_up: vitals.isEngineUp,
    state_up: vitals.isStateUp,
    readers: vitals.readers,
    readers_busy: vitals.busy,
    waiting: vitals.waiting,
    statements_stopped: vitals.stopped,
    lag_seconds: vitals.lagSeconds,
    feed_hold: vitals.feedHold,
    blocks: vitals.blocks ?? null,
    plain_lists: vitals.lists.length === 0 ? null : vitals.lists.flatMap(plainLists),
    ...(journalFrom === undefined ? {} : { changes_from: timeOf(journalFrom === null ? null : journalFrom * 1000) }),
    copy: vitals.copy ? showCopy(vitals.copy) : null,
    certificate_ends_at: timeOf(vitals.certificateEndsAt * 1000),
  } satisfies Health)
}

const showCopy = ({ ageSeconds, failure, keptOut, waiting }: CopyVitals): HealthOfCopy => ({
  age_seconds: ageSeconds === null ? null : Math.round(ageSeconds),
  problem: failure?.problem ?? null,
  failing_since: timeOf(failure?.since ?? null),
  kept_out: keptOut,
  waiting: waiting.map(({ relation, had, has, lost }) => ({ relation, had, has, lost })),
})

const plainLists = ({ collection, why }: ListWay) =>
  why === null ? [] : resources.filter(({ relation }) => relation === collection).map(({ name }) => ({ name, why }))

export const showVolume: Route = async ({ engine }) => {
  const data = await Promise.all(
    resources.map(async ({ name }) => ({ name, total: await totalOf(engine, name).catch(() => null) })),
  )
  return json({ data } satisfies Data<Volume>)
}

async function totalOf(engine: Engine, name: string): Promise<number> {
  return (await engine.list(planOf(name, 'per_page=1'), asker)).total
}

export const showChoices: Route = async ({ engine }) => {
  const [stores, priceLists] = await Promise.all([namesOf(engine, 'stores'), namesOf(engine, 'price-lists')])
  return json({ stores, price_lists: priceLists } satisfies Choices)
}

async function namesOf(engine: Engine, name: string): Promise<Named[]> {
  const all: Named[] = []
  for (let page = 1, total = 1; all.length < total; page += 1) {
    const list = await engine.list(planOf(name, `per_page=100&sort=id&page=${page}`), asker)
    const { data } = JSON.parse(Buffer.from(list.body).toString('utf8')) as Data<Named>
    all.push(...data.map(({ id, name: text }) => ({ id, name: text })))
    // Ends even if a record was deleted meanwhile.
    total = data.length === 0 ? 0 : list.total
  }
  return all
}
