// Faults of parameters → the error that lists them all.
import { ApiError, type Fault } from '../errors.ts'
import { noParameters } from '../query/plan-detail.ts'
import type { Planned } from '../query/plan-list.ts'

const invalidParameters = (details: readonly Fault[]) => new ApiError('invalid_parameter', { details })

// For routes that take no parameter at all.
export function refuseParameters(query: string): void {
  const faults = noParameters(query)
  if (faults.length > 0) throw invalidParameters(faults)
}

export function planOrRefuse<Plan>(planned: Planned<Plan>): Plan {
  if ('faults' in planned) throw invalidParameters(planned.faults)
  return planned.plan
}
