// What a key sees, before it is handed over: each resource with its fields and real records, next to what stays hidden.
import type { Access } from '../catalogue/access.ts'
import { resources } from '../catalogue/resources/index.ts'
import type { Engine } from '../engine/engine.ts'
import { asker, everything, planOf, planOne } from '../query/plan-named.ts'
import { describeFields } from './resources.ts'

const shown = 3

export interface Seen {
  readonly name: string
  readonly permission: string
  readonly readable: boolean
  readonly fields?: readonly string[]
  // `lines.cost` for a field of an array.
  readonly hidden: readonly string[]
  // Of a readable one: how many there are, of how many in all, the first of them as a list shows them, and the very first whole.
  // null where they could not be read.
  readonly seen?: Sample | null
}

interface Sample {
  readonly total: number
  readonly total_of_all: number
  readonly records: readonly unknown[]
  readonly whole: unknown
}

export const seeAs = (engine: Engine, access: Access): Promise<Seen[]> =>
  Promise.all(
    resources.map(async (resource): Promise<Seen> => {
      const { name, permission } = resource
      const all = describeFields(resource, everything)
      if (!access.permissions.includes(permission))
        return { name, permission, readable: false, hidden: all.map((field) => field.name) }
      const fields = describeFields(resource, access)
      return {
        name,
        permission,
        readable: true,
        fields: fields.map((field) => field.name),
        hidden: hiddenOf(all, fields),
        seen: await sample(engine, resource.name, access).catch(() => null),
      }
    }),
  )

interface Named {
  readonly name: string
  readonly items?: readonly Named[]
}

const hiddenOf = (all: readonly Named[], seen: readonly Named[]): string[] =>
  all.flatMap(({ name, items }) => {
    const own = seen.find((field) => field.name === name)
    if (!own) return [name]
    return hiddenOf(items ?? [], own.items ?? []).map((item) => `${name}.${item}`)
  })

async function sample(engine: Engine, name: string, access: Access): Promise<Sample> {
  const list = (each: Access) => engine.list(planOf(name, `per_page=${shown}`, each), asker)
  const [own, all] = await Promise.all([list(access), list(everything)])
  const records = dataOf(own.body) as { id: number }[]
  const first = records[0] ? await engine.detail(planOne(name, records[0].id, access), asker) : null
  return { total: own.total, total_of_all: all.total, records, whole: first ? dataOf(first) : null }
}

const dataOf = (body: Uint8Array): unknown => (JSON.parse(Buffer.from(body).toString('utf8')) as { data: unknown }).data
