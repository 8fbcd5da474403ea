// An id from the path, the query string and an access → a detail plan, or every fault at once.
import type { Access } from '../catalogue/access.ts'
import { readInteger } from '../catalogue/filters/integer.ts'
import type { Resource } from '../catalogue/resource.ts'
import type { Fault } from '../errors.ts'
import { readParameters } from './parameters.ts'
import type { Planned } from './plan-list.ts'
import { restrictions, type DetailPlan } from './plan.ts'

// Drafts and inactive records are shown here: hiding them is a rule of lists.
export function planDetail(resource: Resource, idText: string, query: string, access: Access): Planned<DetailPlan> {
  const faults = noParameters(query)
  const id = readInteger(idText)
  if ('message' in id) return { faults: [{ parameter: 'id', message: id.message }, ...faults] }
  if (faults.length > 0) return { faults }
  const conditions = restrictions(resource, access)
  return { plan: { shows: 'detail', resource: resource.name, access, conditions, id: id.value } }
}

// On routes without parameters every one of them is unknown.
export const noParameters = (query: string): readonly Fault[] => readParameters(query, []).faults
