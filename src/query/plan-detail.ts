// An id from the path, the query string and an access → a detail plan, or every fault at once.
import type { Access } from '../catalogue/access.ts'
import { readInteger } from '../catalogue/filters/integer.ts'
import type { Resource } from '../catalogue/resource.ts'
import type { Fault } from '../errors.ts'
import { readParameters } from './parameters.ts'
import type { Planned } from './plan-list.ts'
import { restrictions, type DetailPlan } from './plan.ts'

// Details show drafts and inactive records: only lists hide them.
export function planDetail(resource: Resource, idText: string, query: string, access: Access): Planned<DetailPlan> {
  const faults = noParameters(query)
  const id = readInteger(idText)
  if ('message' in id) return { faults: [{ parameter: 'id', message: id.message }, ...faults] }
  if (faults.length > 0) return { faults }
  const conditions = restrictions(resource, access)
  return { plan: { shows: 'detail', resource: resource.name, access, conditions, id: id.value } }
}

// On a route without parameters, every parameter is unknown.
export const noParameters = (query: string): readonly Fault[] => readParameters(query, []).faults
