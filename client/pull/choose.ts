// Chooses the resources to mirror: the named ones, or all that the key may read.
import type { Client } from '../client.ts'
import { resources as facts } from '../resources.ts'
import type { PullJob } from './job.ts'
import { checkFields, checkNames, Refused, type VisibleResource } from './store.ts'

export interface ChosenResources {
  readonly wanted: readonly VisibleResource[]
  readonly hasFeed: boolean
}

export async function choose({ client, names, mirror, signal, remark }: PullJob): Promise<ChosenResources> {
  const all = checkNames(await client.resources({ signal }))
  const known = all.filter(({ name }) => Object.hasOwn(facts, name)).map(checkFields)
  const readable = known.map(({ name }) => name as string)
  const unknown = names.filter((name) => !readable.includes(name))
  if (readable.length === 0) throw new Refused('This key may read no resource.')
  if (unknown.length > 0)
    throw new Refused(
      `This key cannot read ${unknown.map((name) => `"${name}"`).join(' and ')}. What it can read: ${readable.join(', ')}.`,
    )
  const newer = all.filter(({ name }) => !readable.includes(name)).map(({ name }) => name)
  if (names.length === 0 && newer.length > 0)
    remark(`The service also has ${newer.join(', ')}, which only a newer version of this program can mirror.`)
  const chosen = known.filter(({ name }) => names.length === 0 || names.includes(name))
  const hasFeed = chosen.every(({ changes }) => changes !== undefined)
  // The feed itself reports that the key was changed.
  const sees = hasFeed ? '' : await visibleScope(client, readable, signal)
  const wanted = chosen.map(({ name, fields }) => ({
    name,
    fields: mirror.isWithoutLines ? fields.filter((field) => field.in === 'list') : fields,
    sees,
  }))
  return { wanted, hasFeed }
}

// The stores and price lists that the key sees: where there is no feed, nothing else shows that they were changed.
async function visibleScope(client: Client, readable: readonly string[], signal: AbortSignal): Promise<string> {
  const seen: Record<string, number[]> = {}
  for (const name of ['stores', 'price-lists'] as const) {
    if (!readable.includes(name)) continue
    seen[name] = []
    for await (const { id } of client.records(name, { sort: 'id', signal })) seen[name].push(id)
  }
  return JSON.stringify(seen)
}
