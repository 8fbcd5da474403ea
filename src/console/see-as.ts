// What a key sees, before it is handed over: each resource with its fields and real records, next to what stays hidden.
import type { Access } from '../catalogue/access.ts'
import { resources } from '../catalogue/resources/index.ts'
import { describeFields } from '../describe/resources.ts'
import type { Engine } from '../engine/engine.ts'
import { asker, everything, planOf } from './plan.ts'

const shown = 3

export const seeAs = (engine: Engine, access: Access) =>
  Promise.all(
    resources.map(async (resource) => {
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
        ...(await sample(engine, resource.name, access)),
      }
    }),
  )

interface Named {
  readonly name: string
  readonly items?: readonly Named[]
}

// `lines.cost` for a field of an array.
const hiddenOf = (all: readonly Named[], seen: readonly Named[]): string[] =>
  all.flatMap(({ name, items }) => {
    const own = seen.find((field) => field.name === name)
    if (!own) return [name]
    return hiddenOf(items ?? [], own.items ?? []).map((item) => `${name}.${item}`)
  })

// How many there are, of how many in all, and the first of them.
async function sample(engine: Engine, name: string, access: Access) {
  const [own, all] = await Promise.all(
    [access, everything].map((each) => engine.list(planOf(name, `per_page=${shown}`, each), asker)),
  )
  const { data } = JSON.parse(Buffer.from(own?.body ?? []).toString('utf8')) as { data: unknown[] }
  return { total: own?.total ?? 0, total_of_all: all?.total ?? 0, records: data }
}
