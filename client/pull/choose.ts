// Chooses the resources to mirror: the named ones, or all that the key may read.
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
  const wanted = chosen.map(({ name, fields }) => ({
    name,
    fields: mirror.isWithoutLines ? fields.filter((field) => field.in === 'list') : fields,
  }))
  return { wanted, hasFeed }
}
