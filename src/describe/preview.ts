// A preview of what a key sees: each resource with its visible and hidden fields and real records.
import type { Access } from '../catalogue/access.ts'
import { resources } from '../catalogue/resources/index.ts'
import type { Engine } from '../engine/engine.ts'
import { asker, fullAccess, planOf, planOne } from '../query/plan-named.ts'
import type { PreviewRecord, PreviewSample, ResourcePreview } from './resource-preview.ts'
import { describeFields } from './resources.ts'

const sampleRecords = 3

export const previewAs = (engine: Engine, access: Access): Promise<ResourcePreview[]> =>
  Promise.all(
    resources.map(async (resource): Promise<ResourcePreview> => {
      const { name, permission } = resource
      const all = describeFields(resource, fullAccess)
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

interface FieldNames {
  readonly name: string
  readonly items?: readonly FieldNames[]
}

const hiddenOf = (all: readonly FieldNames[], visible: readonly FieldNames[]): string[] =>
  all.flatMap(({ name, items }) => {
    const own = visible.find((field) => field.name === name)
    if (!own) return [name]
    return hiddenOf(items ?? [], own.items ?? []).map((item) => `${name}.${item}`)
  })

async function sample(engine: Engine, name: string, access: Access): Promise<PreviewSample> {
  const list = (each: Access) => engine.list(planOf(name, `per_page=${sampleRecords}`, each), asker)
  const [own, all] = await Promise.all([list(access), list(fullAccess)])
  const records = dataOf(own.body) as PreviewRecord[]
  const first = records[0] ? await engine.detail(planOne(name, records[0].id, access), asker) : null
  const whole = first ? (dataOf(first) as PreviewRecord) : null
  return { total: own.total, total_of_all: all.total, records, whole }
}

const dataOf = (body: Uint8Array): unknown => (JSON.parse(Buffer.from(body).toString('utf8')) as { data: unknown }).data
