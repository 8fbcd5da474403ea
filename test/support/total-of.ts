// How many records of a resource an engine finds, for a key that may see everything.
import { permissions } from '../../src/catalogue/permissions.ts'
import { findResource } from '../../src/catalogue/resources/index.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { planList } from '../../src/query/plan-list.ts'

export async function totalOf(engine: Engine, name: string, query = ''): Promise<number> {
  const resource = findResource(name)
  if (!resource) throw new Error(`no resource ${name}`)
  const planned = planList(resource, query, { permissions, stores: null, priceList: null })
  if ('faults' in planned) throw new Error(JSON.stringify(planned.faults))
  return (await engine.list(planned.plan)).total
}
