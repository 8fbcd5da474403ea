// A query string and an access → a plan to read the change feed, or every fault at once.
import type { Access } from '../catalogue/access.ts'
import type { Resource } from '../catalogue/resource.ts'
import type { Fault } from '../errors.ts'
import { limits } from './limits.ts'
import { readParameters } from './parameters.ts'
import { inRange, type Planned } from './plan-list.ts'
import type { ChangesPlan, FeedPosition } from './plan.ts'

// `expired`: what the key may see has changed since. Undefined: not a cursor of this key and path.
type ReadCursor = (text: string) => FeedPosition | 'expired' | undefined

export function planChanges(
  resources: readonly Resource[],
  query: string,
  access: Access,
  readCursor: ReadCursor,
): Planned<ChangesPlan> | 'expired' {
  const { values, faults: unreadable } = readParameters(query, ['cursor', 'limit'])
  const faults: Fault[] = [...unreadable]
  const cursor = values.get('cursor')
  const from = cursor === undefined ? null : readCursor(cursor)
  if (from === undefined)
    faults.push({
      parameter: 'cursor',
      message: 'is not a cursor that this key was given at this address; begin again without one.',
    })
  const limitText = values.get('limit')
  const limit = limitText === undefined ? { value: limits.changesDefault } : inRange(1, limits.changes)(limitText)
  if ('message' in limit) faults.push({ parameter: 'limit', message: limit.message })
  if (faults.length > 0 || from === undefined || 'message' in limit) return { faults }
  if (from === 'expired') return from
  const names = resources.map(({ name }) => name)
  return { plan: { shows: 'changes', resources: names, access, from, limit: limit.value } }
}
