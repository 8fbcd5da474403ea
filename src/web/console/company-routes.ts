// The routes for subscription, health, data volume, and the choices of the key form.
import { resources } from '../../catalogue/resources/index.ts'
import type { Engine, ListWay } from '../../engine/engine.ts'
import { presets } from '../../keys/presets.ts'
import { asker, planOf } from '../../query/plan-named.ts'
import type { State } from '../../state/state.ts'
import { json, refusedFor, type ConsoleAnswer, type ConsoleCall } from './exchange.ts'
import { consoleFault } from './faults.ts'
import type { CopyVitals, Vitals } from './metrics.ts'

export const showCompany = async (state: State): Promise<ConsoleAnswer> => json({ enabled: await state.isEnabled() })

export async function setCompany(state: State, call: ConsoleCall, by: string): Promise<ConsoleAnswer> {
  const enabled = (await call.body())?.['enabled']
  if (typeof enabled !== 'boolean') return refusedFor([consoleFault('enabled_invalid')])
  await state.setEnabled(enabled, by)
  return json({ enabled })
}

const dateOf = (seconds: number | null) => (seconds === null ? null : new Date(seconds * 1000).toISOString())

export const showHealth = (vitals: Vitals): ConsoleAnswer =>
  json({
    engine_up: vitals.isEngineUp,
    state_up: vitals.isStateUp,
    readers: vitals.readers,
    readers_busy: vitals.busy,
    waiting: vitals.waiting,
    statements_stopped: vitals.stopped,
    lag_seconds: vitals.lagSeconds,
    blocks: vitals.blocks ?? null,
    // null: no lists are kept in memory.
    plain_lists: vitals.lists.length === 0 ? null : vitals.lists.flatMap(plainLists),
    // null: all changes are there. Absent: nobody has looked at the change feed yet.
    ...(vitals.journalFrom === undefined ? {} : { changes_from: dateOf(vitals.journalFrom) }),
    // null: no copy is kept.
    copy: vitals.copy ? showCopy(vitals.copy) : null,
    certificate_ends_at: new Date(vitals.certificateEndsAt * 1000).toISOString(),
  })

const showCopy = ({ ageSeconds, failure }: CopyVitals) => ({
  age_seconds: ageSeconds === null ? null : Math.round(ageSeconds),
  problem: failure?.problem ?? null,
  failing_since: failure ? new Date(failure.since).toISOString() : null,
})

const plainLists = ({ collection, why }: ListWay) =>
  why === null ? [] : resources.filter(({ relation }) => relation === collection).map(({ name }) => ({ name, why }))

// The number of records of each resource; null: could not be counted.
export async function showVolume(engine: Engine): Promise<ConsoleAnswer> {
  const counts = await Promise.all(
    resources.map(async ({ name }) => ({ name, total: await totalOf(engine, name).catch(() => null) })),
  )
  return json({ data: counts })
}

async function totalOf(engine: Engine, name: string): Promise<number> {
  return (await engine.list(planOf(name, 'per_page=1'), asker)).total
}

// Stores and price lists that a key can be restricted to, and ready-made choices of permissions.
export async function showChoices(engine: Engine): Promise<ConsoleAnswer> {
  const [stores, priceLists] = await Promise.all([namesOf(engine, 'stores'), namesOf(engine, 'price-lists')])
  return json({ stores, price_lists: priceLists, presets })
}
async function namesOf(engine: Engine, name: string): Promise<{ id: number; name: string | null }[]> {
  const all: { id: number; name: string | null }[] = []
  for (let page = 1, total = 1; all.length < total; page += 1) {
    const list = await engine.list(planOf(name, `per_page=100&sort=id&page=${page}`), asker)
    const { data } = JSON.parse(Buffer.from(list.body).toString('utf8')) as { data: typeof all }
    all.push(...data.map(({ id, name: text }) => ({ id, name: text })))
    // Ends even if a record was deleted meanwhile.
    total = data.length === 0 ? 0 : list.total
  }
  return all
}
