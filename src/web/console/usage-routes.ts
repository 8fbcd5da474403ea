// The routes for usage and blocks.
import type { InputFault } from '../../keys/faults.ts'
import type { Key, State } from '../../state/state.ts'
import { causes, type UsageRange } from '../../state/usage.ts'
import { csvFile, mostRows } from './csv.ts'
import { json, readTime, refusedFor, type ConsoleAnswer, type ConsoleCall } from './exchange.ts'
import { consoleFault } from './faults.ts'

const longestDays = 368
const dayMs = 86_400_000

const momentOf = (ms: number) => new Date(ms).toISOString()

// The last day, if nothing else is asked for.
function readRange({ query }: ConsoleCall, now: number): UsageRange | { readonly faults: InputFault[] } {
  const [from = now - dayMs, to = now + dayMs] = [readTime(query, 'from'), readTime(query, 'to')]
  if (typeof from === 'object' || typeof to === 'object')
    return { faults: [from, to].filter((each) => typeof each === 'object') }
  if (to - from > longestDays * dayMs) return { faults: [consoleFault('span_invalid', { most: longestDays })] }
  return { from, to, accessKey: query.get('key'), resource: query.get('resource') }
}

// One entry for each hour, each key and each resource, of all keys or of one.
export async function showUsage(state: State, call: ConsoleCall, now: number): Promise<ConsoleAnswer> {
  const range = readRange(call, now)
  if ('faults' in range) return refusedFor(range.faults)
  const { accessKey: key = null } = range
  const [hours, keys, resources, nameOf] = await Promise.all([
    state.sumUsage(['hour'], range),
    key === null ? state.sumUsage(['accessKey'], range) : [],
    state.sumUsage(['resource'], range),
    readNames(state),
  ])
  return json({
    name: nameOf(key),
    hours: hours.map(({ hour, ...sum }) => ({ hour: momentOf(hour), ...sum })),
    keys: keys.map(({ accessKey, ...sum }) => ({ client_id: accessKey, name: nameOf(accessKey), ...sum })),
    resources,
  })
}

export async function downloadUsage(state: State, call: ConsoleCall, now: number): Promise<ConsoleAnswer> {
  const range = readRange(call, now)
  if ('faults' in range) return refusedFor(range.faults)
  const [sums, nameOf] = await Promise.all([
    state.sumUsage(['hour', 'accessKey', 'resource'], { ...range, limit: mostRows + 1 }),
    readNames(state),
  ])
  return csvFile(
    'usage.csv',
    ['hour', 'client_id', 'name', 'resource', 'requests', 'records', ...causes],
    sums.map(({ hour, accessKey, resource, requests, records, refusals }) => [
      momentOf(hour),
      accessKey,
      nameOf(accessKey),
      resource,
      requests,
      records,
      ...causes.map((cause) => refusals[cause]),
    ]),
  )
}

export async function showBlocks(state: State): Promise<ConsoleAnswer> {
  const [blocks, nameOf] = await Promise.all([state.listBlocks(), readNames(state)])
  return json({
    data: blocks.map(({ address, scope, accessKey, failures, until }) => ({
      address,
      scope,
      client_id: accessKey,
      name: nameOf(accessKey),
      failures,
      until: momentOf(until),
    })),
  })
}

export const clearBlocks = async (state: State, address: string, by: string): Promise<ConsoleAnswer> =>
  json({ cleared: await state.clearBlocks(address, by) })

export function namesOf(keys: readonly Key[]): (accessKey: string | null) => string | null {
  const names = new Map(keys.map(({ accessKey, name }) => [accessKey, name]))
  return (accessKey) => names.get(accessKey ?? '') ?? null
}
const readNames = async (state: State) => namesOf(await state.listKeys())
